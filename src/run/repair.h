#pragma once

#include <string>
#include <vector>

#include "machine/description.h"
#include "price/offer.h"
#include "run/run.h"

namespace lapcast {

/// Checks what a run says beside its laps (docs/export.md lists the bounds). Replaces each member
/// that cannot be true by what stands for "not known", and returns a line for each of them that
/// names it: "machine.cores is negative". A run that was measured is kept that way, with these
/// lines as warnings; a file with such a run is refused. A repaired run needs no repair. Needs a
/// run for which why_not_kept() returns none. `today` is in UTC: no run was started later than
/// tomorrow.
std::vector<std::string> repair(Run& run, Date today);

/// Repairs what a machine says of itself in the same way: "cores is negative".
std::vector<std::string> repair(MachineDescription& machine);

/// Repairs a run that was measured, and adds what was odd to its warnings.
void repair_measured(Run& run, Date today);

}  // namespace lapcast

#pragma once

#include <string>
#include <vector>

#include "machine/description.h"
#include "price/offer.h"
#include "run/run.h"

namespace lapcast {

/// Checks what a run says apart from its laps; docs/formats.md lists the bounds. Replaces each
/// impossible value by "not known", and returns one line for each of them, such as "machine.cores
/// is negative"; a second call returns none. `today` is in UTC; no run may start later than
/// tomorrow. why_not_kept(run) must return nothing. Callers refuse a file with such a run, but keep
/// a measured run, with repair_measured().
std::vector<std::string> repair(Run& run, Date today);

/// Repairs a machine's description in the same way; its lines read "cores is negative".
std::vector<std::string> repair(MachineDescription& machine);

/// Repairs a run that was measured, and adds the lines of repair() to its warnings.
void repair_measured(Run& run, Date today);

}  // namespace lapcast

#pragma once

#include "machine/description.h"
#include "report/table.h"

namespace lapcast {

/// The machine description table of method 6.11 [C table 1]; what could not be found out is in the
/// notes.
Table machine_table(const MachineDescription& machine);

}  // namespace lapcast

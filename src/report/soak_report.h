#pragma once

#include <vector>

#include "spot/sessions.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables of the availability experiment: machines, sessions, how long sessions last,
/// how long the wait for a new one is, and the share of each hour of the day. A note has the number
/// of damaged lines.
std::vector<Table> soak_tables(const SoakRecord& record, std::size_t damaged_lines);

}  // namespace lapcast

#pragma once

#include <vector>

#include "report/table.h"
#include "soak/sessions.h"

namespace lapcast {

/// Returns the availability experiment: machines, their sessions, how long sessions last and how
/// long new ones take, and the hours of the day. A note says how many lines of the logs were
/// damaged.
std::vector<Table> soak_tables(const SoakRecord& record, std::size_t damaged_lines);

}  // namespace lapcast

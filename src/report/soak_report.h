#pragma once

#include <vector>

#include "report/table.h"
#include "soak/sessions.h"

namespace lapcast {

/// The availability experiment for people: machines, their sessions, how long sessions last and new
/// ones take, and the hours of the day. `damaged_lines` of the logs are told in a note.
std::vector<Table> soak_tables(const SoakRecord& record, std::size_t damaged_lines);

}  // namespace lapcast

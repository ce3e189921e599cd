#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables of a training in sessions, merged from their runs: the whole, and a row for
/// each session. `why_not` says why it has not ended; empty = it has. Its files are in `folder`.
std::vector<Table> session_tables(const std::string& id, std::span<const Run> runs,
                                  const std::filesystem::path& folder, const std::string& why_not);

}  // namespace lapcast

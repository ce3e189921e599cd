#pragma once

#include <string_view>

#include "lap/lap_log_builder.h"

namespace lapcast {

/// Reads one line after the version line, without its '\n', into the log. Returns what is wrong
/// with it in a few words, a literal; nullptr when it was read, or is of a kind that is not known
/// here and was skipped.
LapLogBuilder::Problem read_lap_line(std::string_view line, LapLogBuilder& log);

/// Returns whether the laps of a log need this line: a hello, or an iteration of usual length.
bool is_needed_for_laps(std::string_view line);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Returns what follows the name of an event in the lines "0 EVENT ..." of a run's lap logs, at
/// most `most` of them. Such lines say what is known from the beginning of a log, and move no lap.
std::vector<std::string_view> start_lines_of(const Run& run, std::string_view event,
                                             std::size_t most);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Returns what follows the name of an event in those lines "0 EVENT ..." of a run's lap logs, at
/// most so many of them: what is known from the begin of a log on, and moves no lap.
std::vector<std::string_view> start_lines_of(const Run& run, std::string_view event,
                                             std::size_t most);

}  // namespace lapcast

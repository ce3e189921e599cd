#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/seconds.h"
#include "probe/interrupt.h"

namespace lapcast {

/// Runs a program that is not measured (one that writes data, or that only describes itself) to its
/// end and returns what it printed on stdout. The program gets TERM at the first interrupt, KILL 5
/// s later or at the second; KILL when `limit` is over. The reason says how it failed, with the
/// last line that it printed on stderr.
Result<std::string> output_of_helper(const std::vector<std::string>& arguments,
                                     const Interrupt& interrupt,
                                     std::optional<Seconds> limit = std::nullopt);

}  // namespace lapcast

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.h"

namespace lapcast {

/// Runs a program found on PATH, without a shell and without input, and returns what it printed, at
/// most 1 MiB. The reason says that it was not found, failed, or took longer than the time-out,
/// when it is killed with its children.
Result<std::string> output_of(const std::vector<std::string>& arguments,
                              std::chrono::milliseconds timeout);

}  // namespace lapcast

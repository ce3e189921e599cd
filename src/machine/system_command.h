#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.h"

namespace lapcast {

/// Runs a program found on PATH, without a shell and without input, and returns what it printed
/// (at most 1 MiB). The reason says why there is nothing: not found, failed, took longer than the
/// time-out (then it is killed with its children).
Result<std::string> output_of(const std::vector<std::string>& arguments,
                              std::chrono::milliseconds timeout);

}  // namespace lapcast

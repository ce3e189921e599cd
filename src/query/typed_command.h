#pragma once

#include <string>
#include <string_view>

#include "run/run.h"

namespace lapcast {

/// Returns the program of a run as a command line for people to read and type: after `command`
/// ("lapcast probe --"), with placeholders filled, each word quoted for a shell, and safe to show
/// on a terminal. lapcast never starts the program of an imported run by itself.
std::string typed_command(std::string_view command, const RunContext& context);

}  // namespace lapcast

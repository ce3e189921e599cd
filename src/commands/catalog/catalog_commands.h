#pragma once

#include "cli/commands.h"

namespace lapcast {

/// Each adds a command below `catalog`.
void add_price_why(CLI::App& command, CommandLine& line);
void add_price_lists(CLI::App& command, CommandLine& line);

}  // namespace lapcast

#pragma once

#include "cli/commands.h"

namespace lapcast {

/// Adds the command below `fleet`.
void add_fleet_check(CLI::App& fleet, CommandLine& line);

}  // namespace lapcast

#pragma once

#include "cli/commands.h"

namespace lapcast {

// The commands below `lapcast fleet`: each adds itself to `fleet` as those of commands.h do.
void add_fleet_check(CLI::App& fleet, Globals& globals, Action& action);
void add_fleet_from_slurm(CLI::App& fleet, Globals& globals, Action& action);

}  // namespace lapcast

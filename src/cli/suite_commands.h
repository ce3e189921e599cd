#pragma once

#include "cli/commands.h"

namespace lapcast {

// The commands below `lapcast suite`: each adds itself to `suite` as those of commands.h do.
void add_suite_list(CLI::App& suite, Globals& globals, Action& action);
void add_suite_run(CLI::App& suite, Globals& globals, Action& action);
void add_suite_data(CLI::App& suite, Globals& globals, Action& action);
void add_suite_memory(CLI::App& suite, Globals& globals, Action& action);

/// Prints the table of all workloads.
ExitCode list_suite(const Globals& globals);

}  // namespace lapcast

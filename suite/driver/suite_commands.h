#pragma once

#include "cli/commands.h"

namespace lapcast {

/// Each adds a command below `suite`.
void add_suite_build(CLI::App& suite, CommandLine& line);
void add_suite_run(CLI::App& suite, CommandLine& line);
void add_suite_memory(CLI::App& suite, CommandLine& line);
void add_suite_prepare(CLI::App& suite, CommandLine& line);
void add_suite_split(CLI::App& suite, CommandLine& line);

}  // namespace lapcast

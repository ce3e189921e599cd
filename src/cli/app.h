#pragma once

#include <memory>

#include "cli/commands.h"

namespace lapcast {

/// The whole command line: global options and all commands. `globals` and `action` must outlive it.
std::unique_ptr<CLI::App> make_app(Globals& globals, Action& action);

/// Runs lapcast as main() does: parses, runs, prints an Error as one line on stderr.
int run_lapcast(int argc, char** argv);

}  // namespace lapcast

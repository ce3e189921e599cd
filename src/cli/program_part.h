#pragma once

#include <string_view>
#include <vector>

#include "cli/pages.h"
#include "pages/page_kind.h"

namespace CLI {
class App;
}

namespace lapcast {

struct CommandLine;

/// Names a command and the function that adds it to the app.
struct NamedCommand {
  std::string_view name;
  void (*add)(CLI::App& app, CommandLine& line);
  bool is_hidden = false;  // only programs call it: no help lists it
};

/// Lists the commands under a heading of the help, in display order.
struct CommandGroup {
  std::string_view name;
  std::vector<NamedCommand> commands;
};

/// Describes what a part of `lapcast` contributes: the core, or the suite of the papers.
struct ProgramPart {
  std::vector<CommandGroup> commands;
  std::vector<Page> pages;  // for `lapcast help PAGE`
  std::vector<PagePart> page_parts;
  std::vector<PageKind> page_kinds;
};

/// Runs lapcast as main() does, with the commands, pages and parts of all `parts`: parses, runs,
/// and prints an Error as one line on stderr. Returns the exit code.
int run_lapcast(int argc, char** argv, const std::vector<ProgramPart>& parts);

}  // namespace lapcast

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lapcast {

// The command line as data. Completions and the man page are written from it, so that they can
// never differ from what is parsed.

/// Describes an option, or an argument that has no name.
struct OptionEntry {
  std::vector<std::string> names;  // "-q", "--quiet"
  std::string type;                // "FILE"; empty = a flag
  std::string help;
  bool positional = false;
  std::vector<std::string> values = {};  // all accepted values; empty = not a fixed list
  std::string listed_by = "";  // the list of values that `lapcast complete` prints: "runs"
};

struct CommandEntry {
  std::string name;  // "suite run" of a command below a command
  std::string help;
  std::string usage;   // the text of usage_of()
  std::string footer;  // examples
  std::vector<OptionEntry> options;
};

/// Returns "probe", or "suite run" of a command below a command.
std::string command_name(const CLI::App& app);

/// Returns "lapcast probe [OPTIONS] -- PROGRAM [ARGUMENT ...]".
std::string usage_of(const CLI::App& app);

/// Returns the program itself first, then its commands in order, each before those below it; hidden
/// ones are left out.
std::vector<CommandEntry> command_tree(const CLI::App& app);

/// Returns the script that completes command lines of lapcast in a shell.
std::string bash_completion(const std::vector<CommandEntry>& commands);
std::string zsh_completion(const std::vector<CommandEntry>& commands);
std::string fish_completion(const std::vector<CommandEntry>& commands);

}  // namespace lapcast

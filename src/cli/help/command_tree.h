#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lapcast {

/// The command line as data: what completions and the man page are written from, so that they can
/// never differ from what is parsed.
struct OptionEntry {
  std::vector<std::string> names;  // "-q", "--quiet"
  std::string type;                // "FILE"; empty = a flag
  std::string help;
  bool positional = false;
};
struct CommandEntry {
  std::string name;  // "suite run" of a command below a command
  std::string help;
  std::string usage;   // as usage_of()
  std::string footer;  // examples
  std::vector<OptionEntry> options;
};

/// "probe", or "suite run" of a command below a command.
std::string command_name(const CLI::App& app);

/// "lapcast probe [OPTIONS] -- PROGRAM [ARGUMENT ...]".
std::string usage_of(const CLI::App& app);

/// The program itself first, then its commands in order, each before those below it; hidden ones
/// are left out.
std::vector<CommandEntry> command_tree(const CLI::App& app);

std::string bash_completion(const std::vector<CommandEntry>& commands);
std::string zsh_completion(const std::vector<CommandEntry>& commands);
std::string fish_completion(const std::vector<CommandEntry>& commands);
/// lapcast(1) in man(7) format.
std::string man_page(const std::vector<CommandEntry>& commands);

}  // namespace lapcast

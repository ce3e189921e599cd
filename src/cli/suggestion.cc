#include "cli/suggestion.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "cli/command_tree.h"
#include "core/nearest_name.h"
#include "core/units.h"
#include "remote/ssh.h"

namespace lapcast {
namespace {

/// Returns whether a word may be a script or a program that can be started.
bool is_like_a_program(const std::string& word) {
  if (word.starts_with('-')) return false;
  const bool is_script = word.ends_with(".py") || word.ends_with(".sh");
  const bool is_interpreter = word.starts_with("python") || word == "torchrun" || word == "bash";
  return is_script || is_interpreter ||
         (word.find('/') != std::string::npos && access(word.c_str(), X_OK) == 0);
}

/// Returns the command line that starts the words: a script through its interpreter.
std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  if (words.front().ends_with(".py")) line = "python3 ";
  if (words.front().ends_with(".sh")) line = "sh ";
  for (const std::string& word : words)
    line += (&word == &words.front() ? "" : " ") + shell_quote(printable(word, 200));
  return line;
}

std::vector<std::string> names_in(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CommandEntry& command : command_tree(app))
    if (command.name.find(' ') == std::string::npos) names.push_back(command.name);
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each = &app; each != nullptr; each = each->get_parent())
    for (const CLI::Option* option : each->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

std::string suggestion(const CLI::App& chosen, const std::vector<std::string>& unknown) {
  if (unknown.empty()) return "";
  const std::string& first = unknown.front();
  const bool is_top = chosen.get_parent() == nullptr;
  if (is_like_a_program(first)) {
    const std::string name = is_top ? "probe" : command_name(chosen);
    if (name == "probe" || name == "sweep" || name == "watch")
      return fmt::format("did you mean: lapcast {} -- {}", name, command_line(unknown));
  }
  const std::vector<std::string> names = first.starts_with('-') ? options_of(chosen)
                                         : is_top               ? names_in(chosen)
                                                                : std::vector<std::string>();
  const std::string_view word = std::string_view(first).substr(0, first.find('='));
  return did_you_mean(word, {names.begin(), names.end()}, "");
}

}  // namespace lapcast

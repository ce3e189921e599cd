#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_tree.h"

namespace lapcast {
namespace {

std::string option_names(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

/// Returns "suite" for "suite run"; "" for a top-level command.
std::string parent_of(const CommandEntry& command) {
  const std::size_t blank = command.name.rfind(' ');
  return blank == std::string::npos ? "" : command.name.substr(0, blank);
}

/// Returns the last word of "suite run".
std::string own_name(const CommandEntry& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

/// Returns the names of the commands below `parent`, separated by blanks; "" stands for the
/// program.
std::string names_below(const std::vector<CommandEntry>& commands, const std::string& parent) {
  std::vector<std::string> names;
  for (const CommandEntry& command : std::span(commands).subspan(1))
    if (parent_of(command) == parent) names.push_back(own_name(command));
  return fmt::format("{}", fmt::join(names, " "));
}

/// Returns 'probe'|'suite'|'suite run' for a case of the shell; without top-level commands if
/// `below` is set.
std::string case_of_paths(const std::vector<CommandEntry>& commands, bool below) {
  std::vector<std::string> paths;
  for (const CommandEntry& command : std::span(commands).subspan(1))
    if (!below || !parent_of(command).empty()) paths.push_back("'" + command.name + "'");
  return fmt::format("{}", fmt::join(paths, "|"));
}

/// Puts text in single quotes for bash, zsh and fish. Replaces ':' and brackets, which are special
/// in zsh.
std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == ':' || c == '[' || c == ']')
      result += c == ':' ? ';' : (c == '[' ? '(' : ')');
    else
      result += c;
  }
  return result + "'";
}

/// Returns the values of an option as words of the shell, or the command that lists them; empty if
/// they are not known. `lapcast complete` prints nothing that a shell would expand.
std::string values_of(const OptionEntry& option, std::string_view lister) {
  if (!option.values.empty()) return fmt::format("{}", fmt::join(option.values, " "));
  if (option.listed_by.empty()) return "";
  return fmt::format("{}{} 2>/dev/null)", lister, option.listed_by);
}

/// Returns the values of those arguments of a command whose values are known.
std::string values_of_arguments(const CommandEntry& command, std::string_view lister) {
  std::vector<std::string> values;
  for (const OptionEntry& option : command.options)
    if (const std::string words = option.positional ? values_of(option, lister) : "";
        !words.empty())
      values.push_back(words);
  return fmt::format("{}", fmt::join(values, " "));
}

constexpr std::string_view kLister = "$(\"$1\" complete ";

/// Returns the cases of bash that set `values` for the option before the cursor.
std::string bash_values(const std::vector<CommandEntry>& commands) {
  std::string cases;
  for (const CommandEntry& command : commands)
    for (const OptionEntry& option : command.options) {
      const std::string values = option.positional ? "" : values_of(option, kLister);
      if (values.empty()) continue;
      const std::string path = &command == &commands.front() ? "*" : "'" + command.name + "'";
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(path + "' " + name + "'");
      cases += fmt::format("    {}) values=\"{}\" ;;\n", fmt::join(patterns, "|"), values);
    }
  return cases;
}

/// Returns the action of zsh that completes an option's value.
std::string zsh_action(const OptionEntry& option) {
  if (!option.values.empty()) return fmt::format("({})", fmt::join(option.values, " "));
  if (option.listed_by.empty()) return "_files";
  return fmt::format("{{compadd -- ${{(f)\"$(lapcast complete {} 2>/dev/null)\"}}}}",
                     option.listed_by);
}

/// Returns the arguments that describe the options of a command to `_arguments` of zsh.
std::string zsh_options(const CommandEntry& command) {
  std::string options;
  for (const OptionEntry& option : command.options) {
    if (option.positional) continue;
    const std::string help = shell_quoted(option.help);
    for (const std::string& name : option.names)
      options += fmt::format(" \\\n      '{}[{}]{}'", name, help.substr(1, help.size() - 2),
                             option.type.empty() ? "" : ":value:" + zsh_action(option));
  }
  return options;
}

}  // namespace

std::string bash_completion(const std::vector<CommandEntry>& commands) {
  std::string cases;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    const std::string values = values_of_arguments(commands[i], kLister);
    cases += fmt::format("    '{}') options='{} {}'{} ;;\n", commands[i].name,
                         names_below(commands, commands[i].name), option_names(commands[i]),
                         values.empty() ? "" : fmt::format(" arguments=\"{}\"", values));
  }
  return fmt::format(
      R"(# bash completion for lapcast; written by `lapcast completion bash`
_lapcast() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command='' word options='' arguments=- values=-
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == -- ]]; then
      COMPREPLY=($(compgen -c -f -- "$current"))
      return
    fi
    case "${{command:+$command }}$word" in
      {3}) command=${{command:+$command }}$word ;;
    esac
  done
  case "$command ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{4}  esac
  if [[ $values != - ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case $command in
    '') options='{0} {1}' ;;
{2}  esac
  COMPREPLY=($(compgen -W "$options {1} ${{arguments#-}}" -- "$current"))
  [[ $current == -* || -z $command || $arguments != - ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _lapcast lapcast
)",
      names_below(commands, ""), option_names(commands[0]), cases, case_of_paths(commands, false),
      bash_values(commands));
}

std::string zsh_completion(const std::vector<CommandEntry>& commands) {
  std::string described, cases;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    if (parent_of(commands[i]).empty())
      described += fmt::format("    {}:{}\n", commands[i].name, shell_quoted(commands[i].help));
    const std::string below = names_below(commands, commands[i].name);
    std::string action = "_files";
    for (const OptionEntry& option : commands[i].options)
      if (option.positional) action = zsh_action(option);
    const std::string rest = below.empty() ? fmt::format("'*:argument:{}'", action)
                                           : fmt::format("'1:command:({})'", below);
    cases += fmt::format("    '{}') _arguments{} {} ;;\n", commands[i].name,
                         zsh_options(commands[i]), rest);
  }
  return fmt::format(R"(#compdef lapcast
# zsh completion for lapcast; written by `lapcast completion zsh`
_lapcast() {{
  local -a commands=(
{})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case "$command $words[2]" in
    {})
      if (( CURRENT > 2 )); then
        command="$command $words[2]"
        shift words
        (( CURRENT-- ))
      fi ;;
  esac
  case $command in
{}  esac
}}
_lapcast "$@"
)",
                     described, case_of_paths(commands, true), cases);
}

std::string fish_completion(const std::vector<CommandEntry>& commands) {
  std::string text = "# fish completion for lapcast; written by `lapcast completion fish`\n";
  const auto add_options = [&](const CommandEntry& command, const std::string& condition) {
    for (const OptionEntry& option : command.options) {
      const std::string values = values_of(option, "(lapcast complete ");
      if (option.positional) {
        if (!values.empty())
          text += fmt::format("complete -c lapcast{} -f -a '{}'\n", condition, values);
        continue;
      }
      text += "complete -c lapcast" + condition;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += fmt::format("{} -d {}\n",
                          option.type.empty() ? ""
                          : values.empty()    ? " -r"
                                              : fmt::format(" -x -a '{}'", values),
                          shell_quoted(option.help));
    }
  };
  add_options(commands[0], "");
  for (std::size_t i = 1; i < commands.size(); ++i) {
    const std::string own = own_name(commands[i]);
    const std::string parent = parent_of(commands[i]);
    const std::string seen_parent = "__fish_seen_subcommand_from " + parent;
    const std::string before = parent.empty()
                                   ? "__fish_use_subcommand"
                                   : fmt::format("'{}; and not __fish_seen_subcommand_from {}'",
                                                 seen_parent, names_below(commands, parent));
    text += fmt::format("complete -c lapcast -n {} -a {} -d {}\n", before, own,
                        shell_quoted(commands[i].help));
    add_options(commands[i], fmt::format(" -n '{}__fish_seen_subcommand_from {}'",
                                         parent.empty() ? "" : seen_parent + "; and ", own));
  }
  return text;
}

}  // namespace lapcast

#include <fmt/format.h>

#include "cli/command_tree.h"

namespace lapcast {
namespace {

std::string option_names(const CommandEntry& command) {
  std::string names;
  for (const OptionEntry& option : command.options)
    if (!option.positional)
      for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  return names;
}

std::string command_names(const std::vector<CommandEntry>& commands) {
  std::string names;
  for (std::size_t i = 1; i < commands.size(); ++i) names += (i > 1 ? " " : "") + commands[i].name;
  return names;
}

/// For single quotes in bash, zsh and fish; zsh takes ':' and brackets apart, so they go.
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

}  // namespace

std::string bash_completion(const std::vector<CommandEntry>& commands) {
  std::string cases;
  for (std::size_t i = 1; i < commands.size(); ++i)
    cases += fmt::format("    {}) options='{}' ;;\n", commands[i].name, option_names(commands[i]));
  return fmt::format(R"(# bash completion for lapcast; written by `lapcast completion bash`
_lapcast() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command='' word options=''
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == -- ]]; then
      COMPREPLY=($(compgen -c -f -- "$current"))
      return
    fi
    if [[ -z $command && " {0} " == *" $word "* ]]; then command=$word; fi
  done
  case $command in
    '') options='{0} {1}' ;;
{2}  esac
  COMPREPLY=($(compgen -W "$options {1}" -- "$current"))
  [[ $current == -* || -z $command ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _lapcast lapcast
)",
                     command_names(commands), option_names(commands[0]), cases);
}

std::string zsh_completion(const std::vector<CommandEntry>& commands) {
  std::string described, cases;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    described += fmt::format("    {}:{}\n", commands[i].name, shell_quoted(commands[i].help));
    std::string options;
    for (const OptionEntry& option : commands[i].options) {
      if (option.positional) continue;
      for (const std::string& name : option.names)
        options += fmt::format(" \\\n      '{}[{}]{}'", name,
                               shell_quoted(option.help).substr(1, shell_quoted(option.help).size() - 2),
                               option.type.empty() ? "" : ":" + option.type + ":_files");
    }
    cases += fmt::format("    {}) _arguments{} '*:file:_files' ;;\n", commands[i].name, options);
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
  case $command in
{}  esac
}}
_lapcast "$@"
)",
                     described, cases);
}

std::string fish_completion(const std::vector<CommandEntry>& commands) {
  std::string text = "# fish completion for lapcast; written by `lapcast completion fish`\n";
  const auto add_options = [&](const CommandEntry& command, const std::string& condition) {
    for (const OptionEntry& option : command.options) {
      if (option.positional) continue;
      text += "complete -c lapcast" + condition;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text += fmt::format("{} -d {}\n", option.type.empty() ? "" : " -r", shell_quoted(option.help));
    }
  };
  add_options(commands[0], "");
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text += fmt::format("complete -c lapcast -n __fish_use_subcommand -a {} -d {}\n",
                        commands[i].name, shell_quoted(commands[i].help));
    add_options(commands[i],
                fmt::format(" -n '__fish_seen_subcommand_from {}'", commands[i].name));
  }
  return text;
}

}  // namespace lapcast

#include "cli/command_tree.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>

#include "cli/commands.h"
#include "cli/console.h"

namespace lapcast {
namespace {

/// Returns the values listed in the type of an option: "cost,time" of "TEXT:{cost,time}".
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find(":{");
  if (begin == type.npos || type.back() != '}') return {};
  return CLI::detail::split(type.substr(begin + 2, type.size() - begin - 3), ',');
}

/// Returns the name of the list of an option's values; empty if there is none.
std::string list_of(const OptionEntry& entry) {
  const std::string& name = entry.names.back();
  if (name == "RUN") return "runs";
  if (name == "SWEEP" || name == "--sweep") return "sweeps";
  if (name == "ID") return "jobs";
  if (name == "TOPIC") return "topics";
  return name == "--offer" ? "offers" : "";
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.positional = entry.names.empty();
  if (entry.positional) entry.names.push_back(option.get_single_name());
  if (option.get_items_expected_max() > 0) entry.type = option.get_type_name();
  entry.help = option.get_description();
  entry.values = values_of(option);
  entry.listed_by = list_of(entry);
  return entry;
}

CommandEntry entry_of(const CLI::App& app) {
  CommandEntry entry{command_name(app), app.get_description(), usage_of(app), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) entry.options.push_back(entry_of(*option));
  return entry;
}

std::vector<const CLI::App*> commands_below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

void add_commands(const CLI::App& app, std::vector<CommandEntry>& result) {
  for (const CLI::App* command : commands_below(app)) {
    result.push_back(entry_of(*command));
    add_commands(*command, result);
  }
}

/// Escapes text for man(7): backslashes, and a dot or quote at the start of a line, would be
/// commands.
std::string roff(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    line_begins = c == '\n';
  }
  return result;
}

std::string options_text(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& option : command.options) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + roff(name);
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", names,
                        option.type.empty() || option.positional ? "" : " " + roff(option.type),
                        roff(option.help));
  }
  return text;
}

std::string examples_text(const CommandEntry& command) {
  if (command.footer.empty()) return "";
  return fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer.substr(command.footer[0] == '\n')));
}

/// Returns lapcast(1) in man(7) format.
std::string man_page(const std::vector<CommandEntry>& commands) {
  std::string text = fmt::format(
      ".TH LAPCAST 1 \"\" \"lapcast {}\" \"User Commands\"\n"
      ".SH NAME\nlapcast \\- forecast, price and rank training runs from a few "
      "laps\n"
      ".SH SYNOPSIS\n.B lapcast\n[OPTIONS] COMMAND [ARGUMENTS] [\\-\\- PROGRAM "
      "[ARGUMENT ...]]\n"
      ".SH DESCRIPTION\n{}\n.SH GLOBAL OPTIONS\n{}.SH COMMANDS\n",
      LAPCAST_VERSION, roff(commands[0].help), options_text(commands[0]));
  for (std::size_t i = 1; i < commands.size(); ++i) {
    const CommandEntry& command = commands[i];
    text += fmt::format(".SS {}\n{}.\n.PP\n\\fB{}\\fR\n{}{}", command.name, roff(command.help),
                        roff(command.usage), options_text(command), examples_text(command));
  }
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nthe command did what was asked\n"
      ".TP\n1\nit ran, but a probe failed or nothing could be ranked\n"
      ".TP\n2\narguments that make no sense\n"
      ".TP\n3\na fleet, catalog or import file that cannot be used\n"
      ".TP\n4\nthe probed program failed, was not found, or reported no lap\n"
      ".TP\n5\nthe store cannot be opened or written\n"
      ".TP\n6\nthe machine refused something: disk space, permission, a "
      "process\n"
      ".TP\n7\na watched program was stopped at a limit of time or money\n"
      ".TP\n130\ninterrupted; what was finished is kept\n"
      ".SH ENVIRONMENT\n"
      ".TP\nLAPCAST_STORE\nthe store, as \\-\\-store\n"
      ".TP\nLAPCAST_CATALOG\nfolder with the catalogs that are used when none "
      "is named\n"
      ".TP\nLAPCAST_PRICES\nthe file of own prices, as \\-\\-own\\-prices\n"
      ".TP\nLAPCAST_FETCH_TIME\nhow long a price list may take to come, such "
      "as 60s\n"
      ".TP\nLAPCAST_SUITE_DIR\nfolder with the programs of the suite\n"
      ".TP\nLAPCAST_LOG_DIR, LAPCAST_RUN_DIR\nset for the probed program: "
      "where it reports laps, and its own empty folder\n"
      ".TP\nNO_COLOR\nno colours\n"
      ".TP\nCOLUMNS\nhow wide lines are through a pipe and in a file; without it only a terminal "
      "breaks them\n";
  return text;
}

}  // namespace

std::string command_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  if (parent == nullptr || parent->get_parent() == nullptr) return app.get_name();
  return command_name(*parent) + " " + app.get_name();
}

std::string usage_of(const CLI::App& app) {
  const std::string name = command_name(app);
  if (app.get_parent() == nullptr) return name + " [OPTIONS] COMMAND ...";
  std::string usage = "lapcast " + name + " [OPTIONS]";
  if (!commands_below(app).empty()) usage += " [COMMAND ...]";
  for (const CLI::Option* option : app.get_options())
    if (option->nonpositional() == false)
      usage += (option->get_required() ? " " : " [") + option->get_single_name() +
               (option->get_items_expected_max() > 1 ? " ..." : "") +
               (option->get_required() ? "" : "]");
  const bool takes_program = name == "probe" || name == "sweep" || name == "watch";
  if (name == "suite run") return usage + " [-- ARGUMENT ...]";
  return takes_program ? usage + " -- PROGRAM [ARGUMENT ...]" : usage;
}

std::vector<CommandEntry> command_tree(const CLI::App& app) {
  std::vector<CommandEntry> result{entry_of(app)};
  add_commands(app, result);
  return result;
}

static void add_completion(CLI::App& app, CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command =
      line.add(app, "completion", "print the completions for bash, zsh or fish",
               "\nExamples:\n  source <(lapcast completion bash)\n"
               "  lapcast completion fish > ~/.config/fish/completions/lapcast.fish",
               [&app, shell] {
                 const auto tree = command_tree(app);
                 write_to_stdout(*shell == "bash"  ? bash_completion(tree)
                                 : *shell == "zsh" ? zsh_completion(tree)
                                                   : fish_completion(tree));
                 return ExitCode::ok;
               });
  add_options(
      command,
      {{"SHELL", shell.get(), "bash, zsh or fish", {.one_of = "bash|zsh|fish", .required = true}}});
}

extern const NamedCommand kCompletionCommand{"completion", add_completion};

static void add_man(CLI::App& app, CommandLine& line) {
  line.add(app, "man", "print the manual page: lapcast man | man -l -", nullptr, [&app] {
    write_to_stdout(man_page(command_tree(app)));
    return ExitCode::ok;
  });
}

extern const NamedCommand kManCommand{"man", add_man};

}  // namespace lapcast

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/help/command_tree.h"

namespace lapcast {
namespace {

/// man(7): a backslash, and a dot or quote that begins a line, would be taken for commands.
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

}  // namespace

std::string man_page(const std::vector<CommandEntry>& commands) {
  std::string text = fmt::format(
      ".TH LAPCAST 1 \"\" \"lapcast {}\" \"User Commands\"\n"
      ".SH NAME\nlapcast \\- forecast, price and rank training runs from a few laps\n"
      ".SH SYNOPSIS\n.B lapcast\n[OPTIONS] COMMAND [ARGUMENTS] [\\-\\- PROGRAM [ARGUMENT ...]]\n"
      ".SH DESCRIPTION\n{}\n.SH GLOBAL OPTIONS\n{}.SH COMMANDS\n",
      LAPCAST_VERSION, roff(commands[0].help), options_text(commands[0]));
  for (std::size_t i = 1; i < commands.size(); ++i) {
    const CommandEntry& command = commands[i];
    const std::string usage =
        command.usage.empty() ? "lapcast " + command.name + " [OPTIONS]" : command.usage;
    text += fmt::format(".SS {}\n{}.\n.PP\n\\fB{}\\fR\n{}{}", command.name, roff(command.help),
                        roff(usage), options_text(command), examples_text(command));
  }
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nthe command did what was asked\n"
      ".TP\n1\nit ran, but a probe failed or nothing could be ranked\n"
      ".TP\n2\narguments that make no sense\n"
      ".TP\n3\na fleet, catalog or import file that cannot be used\n"
      ".TP\n4\nthe probed program failed, was not found, or reported no lap\n"
      ".TP\n5\nthe store cannot be opened or written\n"
      ".TP\n6\nthe machine refused something: disk space, permission, a process\n"
      ".TP\n7\na watched program was stopped at a limit of time or money\n"
      ".TP\n130\ninterrupted; what was finished is kept\n"
      ".SH ENVIRONMENT\n"
      ".TP\nLAPCAST_STORE\nthe store, as \\-\\-store\n"
      ".TP\nLAPCAST_CATALOG\nfolder with the catalogs that are used when none is named\n"
      ".TP\nLAPCAST_SUITE_DIR\nfolder with the programs of the suite\n"
      ".TP\nLAPCAST_LOG_DIR, LAPCAST_RUN_DIR\nset for the probed program: where it reports laps, "
      "and "
      "its own empty folder\n"
      ".TP\nNO_COLOR\nno colours\n";
  return text;
}

}  // namespace lapcast

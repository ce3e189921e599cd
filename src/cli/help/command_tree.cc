#include "cli/help/command_tree.h"

#include <CLI/CLI.hpp>

namespace lapcast {
namespace {

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.positional = entry.names.empty();
  if (entry.positional) entry.names.push_back(option.get_single_name());
  if (option.get_items_expected_max() > 0) entry.type = option.get_type_name();
  entry.help = option.get_description();
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

}  // namespace lapcast

#include "cli/option_table.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/units.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

bool has_name(const OptionRow& row) {
  return row.name.starts_with('-');
}

CLI::Option* add_to(CLI::App& command, const std::string& names, bool* flag, const OptionRow& row) {
  return command.add_flag(names, *flag, row.help);
}

CLI::Option* add_to(CLI::App& command, const std::string& names, const ParsedText& target,
                    const OptionRow& row) {
  const std::string name = names.substr(names.rfind(',') + 1);
  const auto take = [take = target.take, name](const CLI::results_t& texts) {
    try {
      for (const std::string& text : texts) take(text);
    } catch (const Error& error) {
      const std::string why = error.what();
      throw CLI::ValidationError(name + (why.starts_with("must ") ? " " : ": ") + why);
    }
    return true;
  };
  return command.add_option(names, take, row.help)->default_str(target.shown);
}

/// Returns what is wrong with the text of a whole number; empty where nothing is.
std::string problem_of_number(const std::string& text, std::int64_t least, std::int64_t most) {
  const auto number = parse_integer(text);
  if (!number) return fmt::format("'{}' is not a whole number", printable(text, 60));
  if (*number >= least && *number <= most) return "";
  return most == kCount.most ? fmt::format("must be at least {}", least)
                             : fmt::format("must be from {} to {}", least, most);
}

template <class Value>
CLI::Option* add_to(CLI::App& command, const std::string& names, Value* target,
                    const OptionRow& row) {
  Value& value = *target;
  const OptionDetails& details = row.details;
  CLI::Option* option = command.add_option(names, value, row.help);
  if (details.most > 0)
    option->check([least = details.least, most = details.most](const std::string& text) {
      return problem_of_number(text, least, most);
    });
  if (value != Value()) option->capture_default_str();
  if (details.comma_separated)
    option->delimiter(',');
  else if (std::is_same_v<Value, std::vector<std::string>> && has_name(row))
    option->take_all();
  return option;
}

}  // namespace

void add_options(CLI::App& command, const std::vector<OptionRow>& rows, const char* group) {
  for (const OptionRow& row : rows) {
    const std::size_t blank = row.name.find(' ');
    const std::string names = row.name.substr(0, blank);
    CLI::Option* option = std::visit(
        [&](const auto& target) { return add_to(command, names, target, row); }, row.target);
    const OptionDetails& details = row.details;
    option->group(group);
    if (blank != std::string::npos) option->type_name(row.name.substr(blank + 1));
    if (*details.one_of != '\0')
      option->check(CLI::IsMember(CLI::detail::split(details.one_of, '|')));
    if (details.required) option->required();
    if (*details.excludes != '\0') option->excludes(command.get_option(details.excludes));
    if (*details.needs != '\0') option->needs(command.get_option(details.needs));
  }
}

}  // namespace lapcast

#include "fleet/placeholders.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_name(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') &&
         std::all_of(text.begin(), text.end(), is_name_char);
}

void collect(std::string_view argument, std::set<std::string>& names) {
  for (std::size_t at = 0; (at = argument.find('{', at)) != std::string_view::npos; ++at) {
    const std::size_t end = argument.find('}', at);
    if (end == std::string_view::npos) return;
    const std::string_view name = argument.substr(at + 1, end - at - 1);
    if (is_name(name) && name != "run_dir") names.emplace(name);
  }
}

}  // namespace

std::vector<std::string> placeholders_of(const std::vector<std::string>& program) {
  std::set<std::string> names;
  for (const std::string& argument : program) collect(argument, names);
  return {names.begin(), names.end()};
}

std::pair<std::string, std::vector<std::string>> parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !is_name(name))
    throw Error(ExitCode::usage, fmt::format("'{}' is not NAME=VALUE,VALUE, such as batch=128,512",
                                             printable(text)));
  std::vector<std::string> values;
  for (const std::string_view part : split(std::string_view(text).substr(equals + 1), ',')) {
    std::string value(part);
    if (value.empty() || std::find(values.begin(), values.end(), value) != values.end())
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has {} value; write each once: batch=128,512", printable(text),
                              value.empty() ? "an empty" : "a repeated"));
    values.push_back(std::move(value));
  }
  return {name, values};
}

}  // namespace lapcast

#include "fleet/power_setting.h"

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "fleet/placeholders.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

bool has_own_power_setting(const std::vector<std::string>& program) {
  const std::vector<std::string> names = placeholders_of(program);
  return std::ranges::find(names, kPowerSetting) != names.end();
}

}  // namespace

std::vector<std::string> parse_power_limits(const std::string& text,
                                            const std::vector<std::string>& program) {
  if (has_own_power_setting(program))
    throw Error(ExitCode::usage,
                "the program has a placeholder {power} of its own, which a power limit cannot be");
  std::vector<std::string> values = parse_setting(std::string(kPowerSetting) + "=" + text).second;
  for (std::string& value : values) {
    value += "W";
    if (!power_limit_of(value))
      throw Error(
          ExitCode::usage,
          "--power-limits takes a whole number of watts from 1 to 10000, such as 250; several "
          "are written as 200,250,300");
  }
  return values;
}

std::optional<int> power_limit_of(std::string_view value) {
  const std::string_view digits = value.substr(0, value.size() - (value.ends_with("W") ? 1 : 0));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.size() == value.size() || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  const auto watts = parse_integer(digits);
  if (!watts || digits[0] == '0' || *watts > kHighestPowerLimit) return std::nullopt;
  return static_cast<int>(*watts);
}

std::optional<int> power_limit_of(const RunContext& context) {
  const auto setting = context.settings.find(kPowerSetting);
  if (setting == context.settings.end()) return std::nullopt;
  if (has_own_power_setting(context.program)) return std::nullopt;
  return power_limit_of(setting->second);
}

}  // namespace lapcast

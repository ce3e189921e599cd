#include "run/settings.h"

#include <fmt/format.h>

#include "run/secrets.h"

namespace lapcast {

std::string settings_text(const RunContext& context) {
  std::string text;
  for (const auto& [name, value] : context.settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, masked_value(name, value));
  return text;
}

std::string settings_of_set(const RunContext& context) {
  RunContext without_seed;
  without_seed.settings = context.settings;
  without_seed.settings.erase(kSeedSetting);
  return settings_text(without_seed);
}

}  // namespace lapcast

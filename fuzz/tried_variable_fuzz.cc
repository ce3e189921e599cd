#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "campaign/tune_settings.h"
#include "core/error.h"

/// Checks that the text of --try is refused, or that each of its values, and nothing else, is one
/// setting with one variable: together they spell the text again, and none is of lapcast's own.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<lapcast::TuneSetting> settings;
  try {
    settings = lapcast::tried_variable(text);
  } catch (const lapcast::Error&) {
    return 0;
  }
  if (settings.empty()) std::abort();
  const std::string& name = settings.front().name;
  if (name.empty() || name.starts_with("LAPCAST_")) std::abort();
  std::string spelled = name;
  for (const lapcast::TuneSetting& setting : settings) {
    const std::map<std::string, std::string> environment{{name, setting.value}};
    if (setting.name != name || setting.value.empty() || setting.environment != environment)
      std::abort();
    spelled += (spelled == name ? "=" : ",") + setting.value;
  }
  if (spelled != text) std::abort();
  return 0;
}

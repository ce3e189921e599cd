// Reads any lines as the flags of a fleet file; an accepted flag has an allowed name and is one
// line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fleet/slurm_fleet.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  lapcast::SlurmFlags flags;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!flags.add(std::string(text.substr(0, end)))) return 0;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto taken = flags.take();
  if (!taken) return 0;
  const auto allowed = lapcast::allowed_slurm_flags();
  for (const std::string& argument : *taken) {
    if (!argument.starts_with("--") || argument.find('\n') != std::string::npos) std::abort();
    const std::string_view name =
        std::string_view(argument).substr(2, std::min(argument.find('='), argument.size()) - 2);
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) std::abort();
  }
  return 0;
}

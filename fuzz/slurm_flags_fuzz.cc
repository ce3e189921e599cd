// Reads any lines as the flags of a fleet file; an accepted flag is one line, and is accepted again
// as it is.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

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
  for (const std::string& argument : *taken) {
    if (!argument.starts_with("--") || argument.find('\n') != std::string::npos) std::abort();
    lapcast::SlurmFlags again;
    if (!again.add(argument)) std::abort();
    const auto same = again.take();
    if (!same || *same != std::vector{argument}) std::abort();
  }
  return 0;
}

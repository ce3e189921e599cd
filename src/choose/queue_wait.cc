#include "choose/queue_wait.h"

#include <algorithm>

namespace lapcast {

std::map<std::string, Seconds> queue_waits(std::span<const Run> runs) {
  // By machine type, then by sweep, or by run where there is none.
  std::map<std::string, std::map<std::string, Seconds>> shortest;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    if (context.place.empty()) continue;
    const Seconds waited = preparation_time(run, "queue");
    const auto [entry, is_first] = shortest[context.machine_type.name].emplace(
        context.sweep.empty() ? context.id : context.sweep, waited);
    if (!is_first) entry->second = std::min(entry->second, waited);
  }
  std::map<std::string, Seconds> means;
  for (const auto& [machine, waits] : shortest) {
    Seconds sum{0};
    for (const auto& [sweep, waited] : waits) sum += waited;
    means[machine] = sum / static_cast<double>(waits.size());
  }
  return means;
}

}  // namespace lapcast

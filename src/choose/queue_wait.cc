#include "choose/queue_wait.h"

#include <algorithm>
#include <map>

namespace lapcast {

Seconds queue_wait(std::span<const Run> runs, const std::string& machine) {
  std::map<std::string, Seconds> shortest;  // by sweep, or run where there is none
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    if (context.machine_type.name != machine || context.place.empty()) continue;
    const Seconds waited = preparation_time(run, "queue");
    const auto [entry, is_first] =
        shortest.emplace(context.sweep.empty() ? context.id : context.sweep, waited);
    if (!is_first) entry->second = std::min(entry->second, waited);
  }
  Seconds sum{0};
  for (const auto& [sweep, waited] : shortest) sum += waited;
  return shortest.empty() ? sum : sum / static_cast<double>(shortest.size());
}

}  // namespace lapcast

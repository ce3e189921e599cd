#include "app/program_change.h"

#include <fmt/format.h>

#include <map>

#include "fleet/found_sweep.h"

namespace lapcast {

std::vector<std::string> program_changes(const Store& store, std::span<const Run> probes) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<RunContext>> by_sweep;
  for (const Run& probe : probes)
    if (!was_imported(probe.context) && !probe.context.sweep.empty())
      by_sweep[probe.context.sweep].push_back(probe.context);
  for (const Sweep& sweep : store.sweeps()) {
    const auto own = by_sweep.find(sweep.id);
    if (own == by_sweep.end()) continue;
    const ProgramContent now = program_content(own->second);
    std::vector<std::string> changed = changed_since(sweep, now);
    // The sweep's other candidates may have files that these have not.
    std::erase_if(changed, [&](const std::string& name) { return !now.contains(name); });
    if (!changed.empty())
      lines.push_back(
          fmt::format("the program changed since sweep {}: {}; its forecasts are of the program as "
                      "it was",
                      sweep.id, short_list(changed)));
  }
  return lines;
}

}  // namespace lapcast

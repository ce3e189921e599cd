#include "cli/program_change.h"

#include <fmt/format.h>

#include <map>

#include "cli/console.h"
#include "fleet/found_sweep.h"

namespace lapcast {

void warn_if_program_changed(const Store& store, std::span<const Run> probes) {
  std::map<std::string, std::vector<RunContext>> by_sweep;
  for (const Run& probe : probes)
    if (!was_imported(probe.context) && !probe.context.sweep.empty())
      by_sweep[probe.context.sweep].push_back(probe.context);
  for (const Sweep& sweep : store.sweeps()) {
    const auto own = by_sweep.find(sweep.id);
    if (own == by_sweep.end()) continue;
    const ProgramContent now = program_content(own->second);
    std::vector<std::string> changed = changed_since(sweep, now);
    // Files of candidates that are not among these.
    std::erase_if(changed, [&](const std::string& name) { return !now.contains(name); });
    if (!changed.empty())
      say("warning: the program changed since sweep {}: {}; its forecasts are of "
          "the program as it was",
          sweep.id, short_list(changed));
  }
}

}  // namespace lapcast

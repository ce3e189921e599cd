#include "fleet/housekeeping.h"

#include <algorithm>
#include <string>
#include <vector>

#include "probe/cpu_quota.h"
#include "probe/ids_and_time.h"
#include "probe/run_folder.h"
#include "remote/remote_request.h"

namespace lapcast {

StartKind start_kind(const Store& store, const RunContext& context) {
  const std::string booted = boot_time();
  if (booted.empty()) return StartKind::unknown;
  const std::vector<RunSummary> runs = store.list({.newest = 200});
  const bool seen = std::any_of(runs.begin(), runs.end(), [&](const RunSummary& run) {
    return run.has_laps && run.started_at >= booted && !context.program.empty() &&
           run.program.starts_with(context.program.front()) &&
           !was_imported(store.get(run.id).context);
  });
  return seen ? StartKind::warm : StartKind::cold;
}

void remove_leftovers(const Store& store, Executor& executor) {
  for (const PendingRun& pending_run : store.pending_runs()) {
    if (pending_run.purpose != kRemoval) continue;
    if (const auto request = remote_request_from_json(pending_run.request))
      executor.remove(request->probe);
  }
}

void note_removed(Store& store, Executor& executor, bool all) {
  for (const std::string& id : executor.take_removed(all)) store.remove_pending_run(id);
}

void remove_stale_run_folders_and_cgroups(const std::filesystem::path& run_parent) {
  remove_stale_run_folders(run_parent);
  CpuQuota::remove_stale();
}

}  // namespace lapcast

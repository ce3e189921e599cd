#include "commands/runs/scrub.h"

#include <string>
#include <utility>

#include "remote/remote_request.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

std::size_t scrub_runs(Store& store) {
  std::size_t changed = 0;
  for (const RunSummary& summary : store.list()) {
    const Run run = store.get(summary.id);
    const Run scrubbed = masked(run);
    const bool same_line = summary.program == shown_program(run.context);
    if (scrubbed == run && same_line) continue;
    store.add(scrubbed, true);
    ++changed;
  }
  return changed;
}

std::size_t scrub_sweeps(Store& store) {
  std::size_t changed = 0;
  for (Sweep& sweep : store.sweeps()) {
    const std::string description = masked_text(sweep.description);
    if (description == sweep.description) continue;
    sweep.description = description;
    store.save_sweep(sweep);
    ++changed;
  }
  return changed;
}

/// Scrubs the requests of pending runs. Their machines received what they need at the start.
std::size_t scrub_pending_runs(Store& store) {
  std::size_t changed = 0;
  for (PendingRun& pending_run : store.pending_runs()) {
    auto request = remote_request_from_json(pending_run.request);
    if (!request) continue;  // the commands that need it report it
    ProbeRequest& probe = request->probe;
    probe.context = masked(std::move(probe.context));
    probe.place_setup.setup = masked_text(probe.place_setup.setup);
    if (probe.resume) probe.resume->arguments = masked_program(std::move(probe.resume->arguments));
    std::string line = to_json_line(*request);
    if (line == pending_run.request) continue;
    pending_run.request = std::move(line);
    store.save_pending_run(pending_run);
    ++changed;
  }
  return changed;
}

}  // namespace

ScrubbedStore scrub_store(Store& store) {
  store.wipe_replaced();  // from now on replaced data leave no traces
  ScrubbedStore scrubbed;
  scrubbed.runs = scrub_runs(store);
  scrubbed.others = scrub_sweeps(store) + scrub_pending_runs(store);
  store.wipe_replaced();
  return scrubbed;
}

}  // namespace lapcast

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/console.h"
#include "core/units.h"
#include "remote/remote_request.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kScrubFooter = R"(
Examples:
  lapcast runs scrub
  LAPCAST_SECRETS=license,customer lapcast runs scrub

Replaces the values of secrets (docs/secrets.md) in all that the store keeps by ***; their bytes are
gone from its file, too. Such runs are shown, ranked and exported as before, but cannot be started
again: verify and offload say so. Backups and exports that were made before are not touched.)";

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

/// What a machine needs of a request was sent there when it was begun.
std::size_t scrub_pending_runs(Store& store) {
  std::size_t changed = 0;
  for (PendingRun& pending_run : store.pending_runs()) {
    auto request = remote_request_from_json(pending_run.request);
    if (!request) continue;  // those who need it say so
    ProbeRequest& probe = request->probe;
    probe.context = masked(std::move(probe.context));
    probe.site.setup = masked_text(probe.site.setup);
    if (probe.resume) probe.resume->arguments = masked_program(std::move(probe.resume->arguments));
    std::string line = to_json_line(*request);
    if (line == pending_run.request) continue;
    pending_run.request = std::move(line);
    store.save_pending_run(pending_run);
    ++changed;
  }
  return changed;
}

ExitCode scrub(const Globals& globals) {
  static_cast<void>(globals.open_existing_store());  // none is made only to be scrubbed
  Store store = globals.open_store();
  store.wipe_replaced();  // from now on what is replaced leaves nothing
  const std::size_t runs = scrub_runs(store);
  const std::size_t others = scrub_sweeps(store) + scrub_pending_runs(store);
  store.wipe_replaced();
  if (!globals.quiet)
    say("secrets removed from {} runs and {} sweeps and trainings under way", runs, others);
  return ExitCode::ok;
}

}  // namespace

void add_scrub(CLI::App& runs, Globals& globals, Action& action) {
  CLI::App* command = runs.add_subcommand("scrub", "remove secrets from the store");
  command->footer(kScrubFooter);
  command->callback([&globals, &action] {
    action = {[&globals] { return scrub(globals); }, false};
  });
}

}  // namespace lapcast

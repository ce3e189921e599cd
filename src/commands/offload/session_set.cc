#include "commands/offload/session_set.h"

#include <fmt/format.h>
#include <sys/types.h>

#include <utility>

#include "cli/console.h"
#include "commands/offload/offload.h"
#include "core/units.h"
#include "fleet/candidates.h"

namespace lapcast {
namespace {

/// Returns a key of the program, its settings and the folder alone: machines may come and go.
std::string key_of_sessions(const RunContext& context) {
  ProbeRequest bare;
  bare.context.program = context.program;
  bare.context.settings = context.settings;
  return "sessions " + fingerprint({bare}, {{"folder", context.working_dir}});
}

}  // namespace

SweepLock lock_sessions(const Store& store, const RunContext& context, const Interrupt& interrupt) {
  bool told = false;
  auto lock = SweepLock::acquire(store.file(), key_of_sessions(context), [&](pid_t holder) {
    if (!std::exchange(told, true))
      say("waiting for another lapcast, process {}, which has this training", holder);
    return interrupt.count() == 0;
  });
  if (!lock) throw Error(ExitCode::interrupted, "interrupted; nothing was begun");
  if (lock->why_not_held())
    say("warning: {}: nothing keeps another lapcast from the same training",
        lock->why_not_held()->text);
  return std::move(*lock);
}

Sweep set_of_sessions(Store& store, const RunContext& context, const std::string& typed,
                      bool again) {
  const std::string key = key_of_sessions(context);
  if (again)
    for (const Sweep& known : store.sweeps_by_key(key))
      for (const OffloadedJob& job : offloaded_in(store))
        if (job.pending_run.sweep == known.id)
          throw Error(
              ExitCode::usage,
              fmt::format("a session of this training is still on {}: lapcast cancel "
                          "--forget {} ends it",
                          printable(job.request.context.machine_type.name), job.pending_run.id));
  return find_or_begin(store, {.key = key,
                               .fleet_file = "",
                               .subject = "a training in sessions",
                               .folder = context.working_dir,
                               .name = "",
                               .program = {},
                               .typed = typed,
                               .again = again})
      .sweep;
}

}  // namespace lapcast

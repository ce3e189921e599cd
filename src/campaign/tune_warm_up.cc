#include "campaign/tune_warm_up.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "campaign/start_kind.h"
#include "campaign/tune_settings.h"
#include "core/units.h"
#include "forecast/gpu_use.h"
#include "probe/ids_and_time.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

/// Is how long the default trains from its first lap on, to see how busy its GPU is.
constexpr Seconds kLookAtGpu{5};

/// Returns the newest warm-up of a sweep that has laps.
std::optional<Run> last_warm_up(const Store& store, const Sweep& sweep) {
  std::optional<Run> last;
  for (Run& run : store.runs({.sweep = sweep.id, .own = true}))
    if (run.context.warm_up && has_laps(run.outcome)) last = std::move(run);
  return last;
}

/// Returns the id of the sweep's warm-up that is under way on another machine; a new one if there
/// is none.
std::string warm_up_id(const Store& store, const Sweep& sweep) {
  for (const PendingRun& pending : store.pending_runs()) {
    if (pending.sweep != sweep.id || pending.purpose == kRemoval) continue;
    const auto request = remote_request_from_json(pending.request);
    if (request && request->probe.context.warm_up) return pending.id;
  }
  return new_id();
}

}  // namespace

std::optional<ProbeRequest> warm_up_of(const TuneRequest& request, Store& store,
                                       const Sweep& sweep) {
  ProbeRequest first = request.probe;
  first.context.start_id = start_id_of(first);
  const bool may_have_gpu =
      !first.context.machine.accelerators.empty() || request.settings_of != nullptr;
  const bool looks = may_have_gpu && !last_warm_up(store, sweep);
  if (!looks && Starts(store).kind_of(first) == StartKind::warm) return std::nullopt;
  first.context.id = warm_up_id(store, sweep);
  first.context.warm_up = true;
  first.context.sweep = sweep.id;
  if (!looks) {
    first.limits.max_laps = 1;
    return first;
  }
  first.limits.startup = request.probe.limits.startup_limit();
  first.limits.epochs.reset();
  first.limits.budget = kLookAtGpu;
  first.limits.precision = kNoPrecision;  // so that the budget ends it
  first.limits.device_precision = kNoPrecision;
  return first;
}

MachineDescription machine_of_warm_up(const TuneRequest& request, const Store& store,
                                      const Sweep& sweep) {
  std::string why = "its first run was not stored";
  for (const Run& run : store.runs({.sweep = sweep.id, .own = true})) {
    if (!run.context.warm_up) continue;
    if (run.context.machine.threads > 0) return run.context.machine;
    why = describe(run.outcome);
  }
  throw Error(ExitCode::system_failed,
              fmt::format("{}: {}", printable(request.probe.context.machine_type.name),
                          printable(why, 1000)));
}

std::optional<double> gpu_busy_of_default(const Store& store, const Sweep& sweep) {
  const std::optional<Run> run = last_warm_up(store, sweep);
  if (!run) return std::nullopt;
  const auto log = laps_of(*run);
  if (log->laps.size() < 2) return std::nullopt;
  return busy_share(use_of_gpus(log->gpus, training_of(*log)));
}

std::string note_of_busy_gpu(const std::optional<double>& busy, bool tries_its_settings) {
  if (busy.value_or(0) < kGpuIsTheLimit) return "";
  const std::string what = tries_its_settings
                               ? "settings that change its work are tried first"
                               : fmt::format(
                                     "other settings of the host may gain little; --tune "
                                     "all tries those of the GPU first ({})",
                                     fmt::join(changed_result_settings(), ", "));
  return fmt::format("GPU busy {} of the training with the default: {}", format_share(*busy), what);
}

}  // namespace lapcast

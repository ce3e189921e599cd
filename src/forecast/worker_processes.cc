#include "forecast/worker_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr Seconds kLongWait{2};
constexpr double kMostOfTeardown = 0.5;  // a wait of this share explains it

std::int64_t workers_of(const LoadSample& load) {
  return load.workers.value_or(0);
}

std::string worker_processes(std::int64_t count) {
  return fmt::format("{} worker process{}", count, count == 1 ? "" : "es");
}

/// Says for how long workers were alive after the last lap of a program that ended by itself, where
/// that is most of its tear-down.
std::string describe_wait(const LapLog& log, std::int64_t last_lap, Seconds teardown) {
  const LoadSample* last = nullptr;
  for (const LoadSample& load : log.loads)
    if (load.at_ns > last_lap && workers_of(load) > 0) last = &load;
  if (last == nullptr || teardown < kLongWait) return "";
  const Seconds waited = std::min(teardown, from_ns(last->at_ns - last_lap));
  if (waited < kMostOfTeardown * teardown) return "";
  return fmt::format("{} lived for {} after the last lap: the program waits for them at its end",
                     worker_processes(workers_of(*last)), format_duration(waited));
}

}  // namespace

std::string describe_workers(const LapLog& log, const LapProfile& profile) {
  if (log.laps.empty() || log.loads.empty()) return "";
  const std::int64_t last_lap = log.laps.back().end_ns;
  if (profile.real_total.count() > 0) return describe_wait(log, last_lap, profile.teardown.mid);
  const auto after = std::ranges::find_if(
      log.loads, [&](const LoadSample& load) { return load.at_ns >= last_lap; });
  const std::int64_t alive = workers_of(after != log.loads.end() ? *after : log.loads.back());
  if (alive == 0) return "";
  return fmt::format(
      "{} (of a loader) {} alive at the last lap: if the program waits for {} at its end, its "
      "tear-down takes longer than assumed; one run to its end tells (lapcast watch)",
      worker_processes(alive), alive == 1 ? "was" : "were", alive == 1 ? "it" : "them");
}

}  // namespace lapcast

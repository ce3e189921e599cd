#include "accuracy/run_parts.h"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <utility>

#include "core/units.h"
#include "forecast/lap_series.h"

namespace lapcast::accuracy {
namespace {

/// Returns how many epochs or blocks begin within the run, each at a time of its own.
std::size_t units_begun(const LoggedRun& run) {
  if (run.unit == MllogUnit::between_evaluations) return 0;
  const MllogKey key = run.unit == MllogUnit::block ? MllogKey::block_start : MllogKey::epoch_start;
  std::set<std::int64_t> times;
  for (const MllogEvent& event : run.events)
    if (event.key == key && event.time_ns >= 0 && from_ns(event.time_ns) < run.total)
      times.insert(event.time_ns);
  return times.size();
}

}  // namespace

RunParts parts_of(const Run& run) {
  const auto log = laps_of(run);
  if (log->laps.empty()) return {};
  const Series series(*log);
  const std::int64_t first = log->laps.front().begin_ns, last = log->laps.back().end_ns;
  const std::int64_t end = run.ended_ns - run.started_ns;
  const std::vector<double> boundaries = epoch_boundaries(series, 0);
  return {.start = from_ns(first) - series.paused.within(0, first),
          .training = Seconds{std::accumulate(series.costs.begin(), series.costs.end(), 0.0)},
          .evaluation = series.paused.within(0, end),
          .between = Seconds{std::accumulate(boundaries.begin(), boundaries.end(), 0.0)},
          .end = from_ns(end - last) - series.paused.within(last, end),
          .laps = log->laps.size()};
}

std::optional<std::string> what_is_wrong(const RunParts& parts, const LoggedRun& run) {
  const Seconds total = run.total;
  const Seconds rounding{1e-9 * static_cast<double>(parts.laps + 10)};
  const std::pair<const char*, Seconds> all[] = {{"start", parts.start},
                                                 {"training", parts.training},
                                                 {"evaluation", parts.evaluation},
                                                 {"between epochs", parts.between},
                                                 {"end", parts.end}};
  for (const auto& [name, time] : all)
    if (time < -rounding) return fmt::format("{} takes {:.3f} s", name, time.count());
  if (std::chrono::abs(parts.sum() - total) > rounding)
    return fmt::format("the parts take {:.3f} s of {:.3f}", parts.sum().count(), total.count());
  if (const std::size_t begun = units_begun(run); begun > parts.laps + 1)
    return fmt::format("{} laps of {} that the log begins", parts.laps, begun);
  return std::nullopt;
}

}  // namespace lapcast::accuracy

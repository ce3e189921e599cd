#include "forecast/epoch_parts.h"

#include <algorithm>
#include <cstdint>

#include "forecast/few_values.h"

namespace lapcast {
namespace {

constexpr double kCheckpointDeviation = 0.2;  // relative sd assumed where few saves were seen

bool has_laps(const EpochSpan& epoch, std::size_t laps) {
  return epoch.laps > 0 && epoch.first_lap >= 0 &&
         static_cast<std::size_t>(epoch.first_lap + epoch.laps) <= laps;
}

std::vector<StageSpan> checkpoints(const LapLog& log) {
  std::vector<StageSpan> saves;
  std::copy_if(log.stages.begin(), log.stages.end(), std::back_inserter(saves),
               [](const StageSpan& stage) { return stage.name == "checkpoint"; });
  return saves;
}

}  // namespace

std::vector<double> epoch_boundaries(const LapLog& log, std::span<const double> costs,
                                     const PausedTime& paused, double steady_lap,
                                     double full_samples) {
  std::vector<double> boundaries;
  for (std::size_t e = 0; e + 1 < log.epochs.size(); ++e) {
    const auto first = static_cast<std::size_t>(log.epochs[e + 1].first_lap);
    const bool has_begun_only = first == costs.size() && steady_lap <= 0;
    if (first == 0 || !has_laps(log.epochs[e], costs.size()) ||
        !(has_laps(log.epochs[e + 1], costs.size()) || has_begun_only)) {
      continue;
    }
    const std::int64_t begin = log.laps[first - 1].end_ns;
    const std::int64_t end =
        has_begun_only ? log.epochs[e + 1].span.begin_ns : log.laps[first].begin_ns;
    double boundary = (from_ns(end - begin) - paused.within(begin, end)).count();
    if (steady_lap > 0) {
      const double share = full_samples > 0 ? log.laps[first].samples / full_samples : 1;
      boundary += costs[first] - steady_lap * share;
    }
    boundaries.push_back(boundary);
  }
  return boundaries;
}

std::vector<Seconds> whole_epochs(const LapLog& log, const PausedTime& paused) {
  std::vector<Seconds> epochs;
  for (std::size_t e = 0; e < log.epochs.size() && log.epochs[e].ended; ++e) {
    const Span& span = log.epochs[e].span;
    if (e + 1 < log.epochs.size()) {
      epochs.push_back(from_ns(log.epochs[e + 1].span.begin_ns - span.begin_ns));
    } else {
      epochs.push_back(span.seconds() + paused.within(span.end_ns, log.last_ns));
    }
  }
  return epochs;
}

std::optional<Interval<Seconds>> checkpoint_cost(const LapLog& log) {
  std::vector<double> seconds;
  for (const StageSpan& save : checkpoints(log)) seconds.push_back(save.span.seconds().count());
  if (seconds.empty()) return std::nullopt;
  return to_seconds(few_values_interval(seconds, kCheckpointDeviation));
}

double checkpoints_per_epoch(const LapLog& log, double laps_per_epoch) {
  const double saves = static_cast<double>(checkpoints(log).size());
  const auto whole = std::count_if(log.epochs.begin(), log.epochs.end(),
                                   [](const EpochSpan& epoch) { return epoch.ended; });
  if (whole > 0) return saves / static_cast<double>(whole);
  if (laps_per_epoch <= 0 || log.laps.empty()) return 0;
  return saves * laps_per_epoch / static_cast<double>(log.laps.size());
}

}  // namespace lapcast

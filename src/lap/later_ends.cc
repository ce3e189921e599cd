#include "lap/later_ends.h"

#include <algorithm>

namespace lapcast {
namespace {

/// Moves the begin of a stretch to the end of the lap before it, at most to its own end.
void begin_after(const std::vector<Lap>& laps, std::int64_t laps_before, Span& span) {
  if (laps_before == 0) return;
  const std::int64_t end_ns = laps[static_cast<std::size_t>(laps_before - 1)].end_ns;
  span.begin_ns = std::max(span.begin_ns, std::min(end_ns, span.end_ns));
}

void settle_epoch(const std::vector<Lap>& laps, EpochSpan& epoch) {
  const auto end_of = [&](std::int64_t count) {
    return count > 0 ? laps[static_cast<std::size_t>(count - 1)].end_ns : 0;
  };
  Span& span = epoch.span;
  span.begin_ns = std::max(span.begin_ns, end_of(epoch.first_lap));
  if (!epoch.ended) return;
  span.end_ns = std::max({span.begin_ns, span.end_ns, end_of(epoch.first_lap + epoch.laps)});
}

}  // namespace

/// Moves the laps from the last known one up to `before` behind its end. Lap times only grow, so
/// the first one that is in order ends the search.
void LaterEnds::put_behind(std::vector<Lap>& laps, std::size_t before) const {
  for (std::size_t i = known_; i < before && laps[i].begin_ns < latest_ns_; ++i) {
    laps[i].begin_ns = latest_ns_;
    laps[i].end_ns = std::max(laps[i].end_ns, latest_ns_);
  }
}

void LaterEnds::take(std::vector<Lap>& laps, std::size_t count, std::int64_t end_ns) {
  if (count <= known_) return;
  put_behind(laps, count);
  Lap& lap = laps[count - 1];
  // Until now it ended with its line; the lap before it may have been moved behind that.
  if (count > 1) lap.begin_ns = std::max(lap.begin_ns, laps[count - 2].end_ns);
  lap.end_ns = std::max(end_ns, lap.begin_ns);
  lap.finished = true;
  known_ = count;
  latest_ns_ = lap.end_ns;
  any_ = true;
}

void LaterEnds::settle(LapLog& log) const {
  if (!any_) return;
  put_behind(log.laps, log.laps.size());
  for (ValidationSpan& each : log.validations) begin_after(log.laps, each.laps_before, each.span);
  for (StageSpan& each : log.stages) begin_after(log.laps, each.laps_before, each.span);
  for (EpochSpan& each : log.epochs) settle_epoch(log.laps, each);
}

}  // namespace lapcast

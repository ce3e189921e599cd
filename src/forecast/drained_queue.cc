#include "forecast/drained_queue.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "forecast/paused_time.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kLapsUntilFull = 5;  // of a queue that was empty
constexpr std::size_t kLeastEven = 8;
constexpr double kEven = 0.02;
constexpr double kEmpties = 1.5;  // a host lap of this many device laps empties the queue

/// Describes a validation or a checkpoint during which no lap ended.
struct Break {
  bool is_validation = false;
  std::size_t index = 0;  // among the log's validations or stages
  std::size_t laps_before = 0;
};

template <typename Log>
auto& span_of(Log& log, const Break& at) {
  return at.is_validation ? log.validations[at.index].span : log.stages[at.index].span;
}

/// Returns the breaks whose preceding lap has no known end, in order of time.
std::vector<Break> breaks_after_queued(const LapLog& log) {
  std::vector<Break> breaks;
  const auto add = [&](bool is_validation, std::size_t index, std::int64_t laps_before) {
    if (laps_before > 0 && laps_before <= std::ssize(log.laps) &&
        !log.laps[static_cast<std::size_t>(laps_before) - 1].finished)
      breaks.push_back({is_validation, index, static_cast<std::size_t>(laps_before)});
  };
  for (std::size_t i = 0; i < log.validations.size(); ++i)
    if (laps_beside(log, log.validations[i]).empty()) add(true, i, log.validations[i].laps_before);
  for (std::size_t i = 0; i < log.stages.size(); ++i)
    if (log.stages[i].name == "checkpoint") add(false, i, log.stages[i].laps_before);
  std::ranges::sort(breaks, {}, [&](const Break& each) { return span_of(log, each).begin_ns; });
  return breaks;
}

/// Returns for each lap how many laps came since the queue was known to be empty.
std::vector<std::size_t> laps_since_empty(const LapLog& log, const std::vector<Break>& breaks) {
  std::vector<bool> begins(log.laps.size() + 1);
  for (const Break& each : breaks) begins[each.laps_before] = true;
  for (std::size_t i = 0; i < log.laps.size(); ++i)
    begins[i + 1] = log.laps[i].finished || begins[i + 1];
  for (const RemovedPause& pause : log.removed) {
    const auto lap = std::ranges::lower_bound(log.laps, pause.at_ns, {}, &Lap::end_ns);
    begins[static_cast<std::size_t>(lap - log.laps.begin())] = true;
  }
  std::vector<std::size_t> since(log.laps.size());
  for (std::size_t i = 1; i < since.size(); ++i) since[i] = begins[i] ? 0 : since[i - 1] + 1;
  return since;
}

/// Holds the times of laps whose work was only queued.
struct HostLaps {
  std::vector<double> full;  // seconds of those with a full queue
  double least = 0;          // the shortest of all: what the host needs to queue one

  bool are_even() const {
    return full.size() >= kLeastEven && robust_deviation(full) <= kEven * median(full);
  }
};

HostLaps host_laps(const LapLog& log, std::span<const std::size_t> since_empty) {
  HostLaps result;
  std::vector<std::int32_t> samples;
  for (const Lap& lap : log.laps) samples.push_back(lap.samples);
  const std::int32_t usual = samples.empty() ? 0 : upper_median(std::move(samples));
  for (std::size_t i = 0; i < log.laps.size(); ++i) {
    const Lap& lap = log.laps[i];
    const double seconds = lap.seconds().count();
    if (lap.finished || lap.samples != usual || !(seconds > 0)) continue;
    if (result.least == 0 || seconds < result.least) result.least = seconds;
    if (since_empty[i] >= kLapsUntilFull && lap.phase == log.laps.back().phase)
      result.full.push_back(seconds);
  }
  return result;
}

/// Returns the work in the queue after laps that began with an empty queue. The host first waits
/// for data or the queue, while the device goes on, and then needs `host.least` to queue a lap.
Seconds queued_after(std::span<const Lap> laps, const HostLaps& host) {
  double device = median(host.full);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < laps.size(); ++i)
    if (laps[i].seconds().count() > kEmpties * device) begin = i;
  const std::size_t full = std::min(begin + kLapsUntilFull, laps.size());
  std::vector<double> own;
  for (const Lap& lap : laps.subspan(full)) own.push_back(lap.seconds().count());
  if (own.size() >= kLeastEven) device = median(own);
  double queued = 0;
  for (const Lap& lap : laps.subspan(begin, full - begin)) {
    const double waited = std::max(0.0, lap.seconds().count() - host.least);
    queued = std::max(0.0, queued - waited) + std::max(0.0, device - host.least);
  }
  return Seconds{queued};
}

/// Ends the lap before a break after its queued work, and moves what began earlier to that end.
void end_lap(LapLog& log, const Break& at, Seconds queued) {
  Lap& last = log.laps[at.laps_before - 1];
  Span& span = span_of(log, at);
  const std::int64_t begun = last.end_ns;
  const std::int64_t end = std::min(begun + to_ns(queued), span.end_ns);
  for (EpochSpan& epoch : log.epochs)
    if (epoch.ended && epoch.span.end_ns >= begun)
      epoch.span.end_ns = std::max(epoch.span.end_ns, end);
  span.begin_ns = std::max(span.begin_ns, end);
  last.end_ns = end;
  last.finished = true;
}

}  // namespace

std::optional<LapLog> with_drained_queue(const LapLog& log) {
  if (std::ranges::all_of(log.laps, &Lap::finished)) return std::nullopt;
  const std::vector<Break> breaks = breaks_after_queued(log);
  if (breaks.empty()) return std::nullopt;
  const std::vector<std::size_t> since = laps_since_empty(log, breaks);
  const HostLaps host = host_laps(log, since);
  if (!host.are_even()) return std::nullopt;
  LapLog result = log;
  for (const Break& each : breaks) {
    const std::size_t last = each.laps_before - 1;
    if (result.laps[last].finished) continue;  // by an earlier break
    const auto laps = std::span(log.laps).subspan(last - since[last], since[last] + 1);
    end_lap(result, each, queued_after(laps, host));
  }
  return result;
}

Seconds most_queued_at_breaks(const LapLog& log) {
  if (std::ranges::all_of(log.laps, &Lap::finished)) return Seconds{0};
  const std::vector<Break> breaks = breaks_after_queued(log);
  if (breaks.empty()) return Seconds{0};
  const std::vector<std::size_t> since = laps_since_empty(log, breaks);
  const HostLaps host = host_laps(log, since);
  if (host.full.empty()) return Seconds{0};
  Seconds most{0};
  for (std::size_t i = 1; i < log.laps.size(); ++i)
    if (log.laps[i].finished && since[i] > 0)
      most = std::max(most, log.laps[i].seconds() - Seconds{median(host.full)});
  return most;
}

}  // namespace lapcast

#include "forecast/lap_series.h"

#include <algorithm>
#include <unordered_map>

#include "forecast/queued_laps.h"

namespace lapcast {
namespace {

constexpr std::size_t kLapsOfALongEpoch = 8;

bool begins_epoch(std::span<const Lap> laps, std::size_t i) {
  return i > 0 && laps[i].epoch != laps[i - 1].epoch;
}

std::size_t begin_of_last_phase(std::span<const Lap> laps) {
  std::size_t begin = laps.size();
  while (begin > 0 && laps[begin - 1].phase == laps.back().phase) --begin;
  return begin;
}

struct Batch {
  std::int32_t samples = 0;
  bool varies = false;
};

// The number of samples that more than half of the laps have; the median where none has.
Batch full_batch(std::span<const Lap> laps) {
  std::unordered_map<std::int32_t, std::size_t> counts;
  for (const Lap& lap : laps) ++counts[lap.samples];
  const auto usual = std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  if (usual->second * 2 > laps.size()) return {usual->first, false};
  std::vector<std::int32_t> samples;
  for (const Lap& lap : laps) samples.push_back(lap.samples);
  std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(samples.size() / 2),
                   samples.end());
  return {samples[samples.size() / 2], true};
}

bool has_long_epochs(std::span<const Lap> laps) {
  std::size_t epochs = 1;
  for (std::size_t i = 1; i < laps.size(); ++i) epochs += begins_epoch(laps, i);
  return laps.size() >= epochs * kLapsOfALongEpoch;
}

void take(FullLaps& full, std::span<const Lap> laps, std::span<const double> costs, std::size_t i) {
  const double scale = full.scaled && laps[i].samples > 0 ? full.samples / laps[i].samples : 1.0;
  full.seconds.push_back(costs[i] * scale);
  full.index.push_back(i);
}

}  // namespace

PausedTime::PausedTime(const LapLog& log) {
  for (const ValidationSpan& validation : log.validations) spans_.push_back(validation.span);
  for (const StageSpan& stage : log.stages) {
    if (stage.name == "checkpoint") spans_.push_back(stage.span);
  }
  std::sort(spans_.begin(), spans_.end(),
            [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
  std::size_t kept = 0;
  for (const Span& span : spans_) {
    if (kept > 0 && span.begin_ns <= spans_[kept - 1].end_ns) {
      spans_[kept - 1].end_ns = std::max(spans_[kept - 1].end_ns, span.end_ns);
    } else {
      spans_[kept++] = span;
    }
  }
  spans_.resize(kept);
  total_until_.push_back(0);
  for (const Span& span : spans_) {
    total_until_.push_back(total_until_.back() + span.end_ns - span.begin_ns);
  }
}

Seconds PausedTime::within(std::int64_t begin_ns, std::int64_t end_ns) const {
  const auto paused_until = [this](std::int64_t at) {
    const auto after = std::partition_point(spans_.begin(), spans_.end(),
                                            [at](const Span& span) { return span.end_ns <= at; });
    const auto i = static_cast<std::size_t>(after - spans_.begin());
    const bool inside = after != spans_.end() && after->begin_ns < at;
    return total_until_[i] + (inside ? at - after->begin_ns : 0);
  };
  if (spans_.empty() || end_ns <= begin_ns) return Seconds{0};
  return from_ns(paused_until(end_ns) - paused_until(begin_ns));
}

std::vector<double> lap_costs(const LapLog& log, const PausedTime& paused) {
  std::vector<double> costs(log.laps.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Lap& lap = log.laps[i];
    const bool follows = i > 0 && !begins_epoch(log.laps, i);
    const std::int64_t begin = follows ? log.laps[i - 1].end_ns : lap.begin_ns;
    const Seconds cost = from_ns(lap.end_ns - begin) - paused.within(begin, lap.end_ns);
    costs[i] = std::max(0.0, cost.count());
  }
  share_out_queued(log.laps, costs);
  return costs;
}

FullLaps full_laps(std::span<const Lap> laps, std::span<const double> costs) {
  FullLaps full;
  if (laps.empty()) return full;
  const std::size_t begin = begin_of_last_phase(laps);
  const Batch batch = full_batch(laps.subspan(begin));
  full.samples = batch.samples;
  full.scaled = batch.varies;
  full.without_first_of_epoch = has_long_epochs(laps.subspan(begin));
  const std::size_t end = known_laps(laps);
  for (std::size_t i = begin; i < end; ++i) {
    if (!batch.varies && laps[i].samples != batch.samples) continue;
    if (full.without_first_of_epoch && begins_epoch(laps, i)) continue;
    take(full, laps, costs, i);
  }
  if (full.index.empty()) take(full, laps, costs, laps.size() - 1);
  return full;
}

}  // namespace lapcast

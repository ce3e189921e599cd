#include "forecast/lap_series.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "forecast/overlapped_validation.h"
#include "stats/coarse_series.h"

namespace lapcast {
namespace {

constexpr std::size_t kLapsOfALongEpoch = 8;

bool begins_epoch(std::span<const Lap> laps, std::size_t i) {
  return i > 0 && laps[i].epoch != laps[i - 1].epoch;
}

/// Laps first .. end - 1, all of one epoch, with as many samples, queued or finished: most logs
/// have few such rows.
struct Row {
  std::size_t first = 0;
  std::size_t end = 0;
  std::int32_t samples = 0;
  std::int32_t epoch = 0;
  bool finished = true;
};

std::vector<Row> rows_of_last_phase(std::span<const Lap> laps, std::size_t& queued) {
  std::vector<Row> rows;
  for (std::size_t begin = 0, end = 0; begin < laps.size(); begin = end) {
    const Lap& first = laps[begin];
    if (begin > 0 && first.phase != laps[begin - 1].phase) rows.clear();
    while (end < laps.size() && laps[end].samples == first.samples &&
           laps[end].epoch == first.epoch && laps[end].phase == first.phase &&
           laps[end].finished == first.finished)
      ++end;
    rows.push_back({begin, end, first.samples, first.epoch, first.finished});
    if (!first.finished) queued += end - begin;
  }
  return rows;
}

struct Batch {
  std::int32_t samples = 0;
  bool varies = false;
};

// The number of samples that more than half of the laps have; the median where none has.
Batch full_batch(std::span<const Row> rows) {
  std::unordered_map<std::int32_t, std::size_t> counts;
  for (const Row& row : rows) counts[row.samples] += row.end - row.first;
  const auto usual = std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  if (usual->second * 2 > rows.back().end - rows.front().first) return {usual->first, false};
  std::vector<std::int32_t> samples;
  for (const Row& row : rows) samples.insert(samples.end(), row.end - row.first, row.samples);
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return {*middle, true};
}

bool has_long_epochs(std::span<const Row> rows) {
  std::size_t epochs = 1;
  for (std::size_t i = 1; i < rows.size(); ++i) epochs += rows[i].epoch != rows[i - 1].epoch;
  return rows.back().end - rows.front().first >= epochs * kLapsOfALongEpoch;
}

void take(FullLaps& full, const Row& row, std::span<const double> costs) {
  const double scale = full.scaled && row.samples > 0 ? full.samples / row.samples : 1.0;
  for (std::size_t i = row.first; i < row.end; ++i) {
    full.seconds.push_back(costs[i] * scale);
    full.index.push_back(static_cast<std::uint32_t>(i));
  }
}

void share_out(std::span<const Lap> laps, std::span<double> costs) {
  const double cost = std::accumulate(costs.begin(), costs.end(), 0.0);
  double samples = 0;
  for (const Lap& lap : laps) samples += lap.samples;
  for (std::size_t i = 0; i < laps.size(); ++i) {
    costs[i] =
        samples > 0 ? cost * laps[i].samples / samples : cost / static_cast<double>(laps.size());
  }
}

bool laps_are_epochs(const LapLog& log) {
  return log.epochs.size() > 1 &&
         std::all_of(log.epochs.begin(), log.epochs.end(),
                     [](const EpochSpan& epoch) { return epoch.laps <= 1; });
}

}  // namespace

LapRange laps_beside(const LapLog& log, const ValidationSpan& validation) {
  if (validation.laps_before < 0 || validation.laps_before >= std::ssize(log.laps)) return {};
  const auto first = log.laps.begin() + validation.laps_before;
  if (first->end_ns >= validation.span.end_ns) return {};
  const auto last = std::partition_point(
      first, log.laps.end(), [&](const Lap& lap) { return lap.end_ns < validation.span.end_ns; });
  const auto end = std::min(last + 1, log.laps.end());  // the lap that it ended in is one of them
  return {static_cast<std::size_t>(first - log.laps.begin()),
          static_cast<std::size_t>(end - log.laps.begin())};
}

PausedTime::PausedTime(const LapLog& log) {
  for (const ValidationSpan& validation : log.validations) {
    if (laps_beside(log, validation).empty()) spans_.push_back(validation.span);
  }
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

std::int64_t PausedTime::next_after(std::int64_t at_ns) const {
  const auto next = std::partition_point(
      spans_.begin(), spans_.end(), [at_ns](const Span& span) { return span.end_ns <= at_ns; });
  return next == spans_.end() ? std::numeric_limits<std::int64_t>::max() : next->begin_ns;
}

std::vector<double> lap_costs(const LapLog& log, const PausedTime& paused) {
  std::vector<double> costs(log.laps.size());
  bool queued = false;
  std::int64_t from = 0, pause = paused.next_after(0);  // no pause lies between them
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Lap& lap = log.laps[i];
    const bool follows = i > 0 && !begins_epoch(log.laps, i);
    const std::int64_t begin = follows ? log.laps[i - 1].end_ns : lap.begin_ns;
    Seconds cost = from_ns(lap.end_ns - begin);
    if (begin < from || lap.end_ns > pause) {
      cost -= paused.within(begin, lap.end_ns);
      from = lap.end_ns;
      pause = paused.next_after(from);
    }
    costs[i] = std::max(0.0, cost.count());
    queued = queued || !lap.finished;
  }
  if (queued) share_out_queued(log.laps, costs);
  return costs;
}

FullLaps full_laps(std::span<const Lap> laps, std::span<const double> costs) {
  FullLaps full;
  if (laps.empty()) return full;
  const std::vector<Row> rows = rows_of_last_phase(laps, full.queued);
  const Batch batch = full_batch(rows);
  full.samples = batch.samples;
  full.scaled = batch.varies;
  full.without_first_of_epoch = has_long_epochs(rows);
  const std::size_t known = known_laps(laps);
  full.seconds.reserve(known - std::min(known, rows.front().first));
  full.index.reserve(full.seconds.capacity());
  for (Row row : rows) {
    if (!batch.varies && row.samples != batch.samples) continue;
    if (full.without_first_of_epoch && begins_epoch(laps, row.first)) ++row.first;
    row.end = std::min(row.end, known);
    take(full, row, costs);
  }
  if (full.index.empty()) take(full, {laps.size() - 1, laps.size(), laps.back().samples}, costs);
  return full;
}

void share_out_queued(std::span<const Lap> laps, std::span<double> costs) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < laps.size(); ++i) {
    if (laps[i].phase != laps[begin].phase) begin = i;
    if (!laps[i].finished) continue;
    if (i > begin)
      share_out(laps.subspan(begin, i + 1 - begin), costs.subspan(begin, i + 1 - begin));
    begin = i + 1;
    if (begin == laps.size()) break;
  }
}

std::size_t known_laps(std::span<const Lap> laps) {
  std::size_t known = laps.size();
  while (known > 0 && !laps[known - 1].finished) --known;
  return known > 0 ? known : laps.size();
}

Series::Series(const LapLog& the_log)
    : log(the_log),
      paused(log),
      costs(lap_costs(log, paused)),
      full(full_laps(log.laps, costs)),
      coarse(laps_are_epochs(log)) {
  leave_out_laps_beside(log, full);
  state = coarse ? find_coarse_state(full.seconds) : find_steady_state(full.seconds);
}

SteadyMean mean_of(const Series& series) {
  return series.coarse ? coarse_mean(series.full.seconds, series.state)
                       : steady_mean(series.full.seconds, series.state);
}

}  // namespace lapcast

#include "forecast/lap_series.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kLapsOfALongEpoch = 8;

bool begins_epoch(std::span<const Lap> laps, std::size_t i) {
  return i > 0 && laps[i].epoch != laps[i - 1].epoch;
}

/// Names the laps first .. end - 1 of one epoch with equal samples, all queued or all finished:
/// most logs have few such rows.
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

/// Returns the number of samples that more than half of the laps have; the median if none exists.
Batch full_batch(std::span<const Row> rows) {
  std::unordered_map<std::int32_t, std::size_t> counts;
  for (const Row& row : rows) counts[row.samples] += row.end - row.first;
  const auto usual = std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  if (usual->second * 2 > rows.back().end - rows.front().first) return {usual->first, false};
  std::vector<std::int32_t> samples;
  for (const Row& row : rows) samples.insert(samples.end(), row.end - row.first, row.samples);
  return {upper_median(std::move(samples)), true};
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
         std::ranges::all_of(log.epochs, [](const EpochSpan& epoch) { return epoch.laps <= 1; });
}

/// Returns the full laps for whose index into the log `wanted` returns true.
template <class Wanted>
FullLaps only(const FullLaps& full, Wanted wanted) {
  FullLaps rest{{}, {}, full.queued, full.samples, full.scaled, full.without_first_of_epoch};
  for (std::size_t i = 0; i < full.index.size(); ++i) {
    if (!wanted(full.index[i])) continue;
    rest.seconds.push_back(full.seconds[i]);
    rest.index.push_back(full.index[i]);
  }
  return rest;
}

/// Leaves out the laps that ran beside a validation, where they are fewer than half: they may be
/// slower, and come in clusters that look like changes of the work.
void leave_out_laps_beside(const LapLog& log, FullLaps& full) {
  std::vector<bool> beside(log.laps.size());
  bool any = false;
  for (const ValidationSpan& validation : log.validations) {
    const LapRange range = laps_beside(log, validation);
    for (std::size_t i = range.first; i < range.end; ++i) any = beside[i] = true;
  }
  if (!any) return;
  FullLaps rest = only(full, [&](std::size_t lap) { return !beside[lap]; });
  if (2 * rest.index.size() >= full.index.size()) full = std::move(rest);
}

/// Returns what the laps would have cost without the work of others.
std::vector<double> undisturbed_costs(const LapLog& log, const PausedTime& paused) {
  std::vector<double> costs = lap_costs(log, paused);
  const auto shares = shares_lost(log);
  for (std::size_t i = 0; i < std::min(costs.size(), shares.size()); ++i)
    costs[i] *= 1 - shares[i].value_or(0);
  return costs;
}

/// Leaves out the laps that are not undisturbed, unless hardly any full lap would be left: partial
/// batches may be the undisturbed ones.
void leave_out_disturbed(const LapLog& log, FullLaps& full) {
  constexpr std::size_t kLeastLeft = 5;
  const auto shares = shares_lost(log);
  FullLaps rest = only(full, [&](std::size_t lap) { return is_undisturbed(shares[lap]); });
  if (rest.index.size() >= kLeastLeft) full = std::move(rest);
}

constexpr std::size_t kLapsThatShowWarmUp = 10;

/// Leaves out the laps around pauses, and returns the index of the first full lap of each slice
/// between pauses. If the first slice is too short to show the warm-up, there is only one slice,
/// and no lap is left out unless a device runs the laps.
std::vector<std::size_t> split_at_pauses(const LapLog& log, FullLaps& full) {
  if (log.removed.empty()) return {0};
  const std::vector<bool> around = laps_around_pauses(log);
  std::vector<std::size_t> begins{0};
  std::size_t kept = 0;
  std::size_t pause = 0;
  bool is_new = false;
  FullLaps rest = only(full, [&](std::size_t i) {
    for (; pause < log.removed.size() && log.removed[pause].at_ns <= log.laps[i].begin_ns; ++pause)
      is_new = true;
    if (!around.empty() && around[i]) return false;
    if (std::exchange(is_new, false) && kept > 0) begins.push_back(kept);
    ++kept;
    return true;
  });
  const bool has_slices = begins.size() > 1 && begins[1] >= kLapsThatShowWarmUp;
  const bool is_on_device = std::ranges::any_of(log.laps, std::logical_not{}, &Lap::finished);
  if (kept > 0 && (has_slices || is_on_device)) full = std::move(rest);
  return has_slices ? begins : std::vector<std::size_t>{0};
}

bool has_laps(const EpochSpan& epoch, std::size_t laps) {
  return epoch.laps > 0 && epoch.first_lap >= 0 &&
         static_cast<std::size_t>(epoch.first_lap + epoch.laps) <= laps;
}

}  // namespace

std::vector<double> lap_costs(const LapLog& log, const PausedTime& paused) {
  std::vector<double> costs(log.laps.size());
  bool queued = false;
  std::int64_t from = 0, pause = paused.next_pause_begin(0);  // no pause lies between them
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Lap& lap = log.laps[i];
    const bool follows = i > 0 && !begins_epoch(log.laps, i);
    const std::int64_t begin = follows ? log.laps[i - 1].end_ns : lap.begin_ns;
    Seconds cost = from_ns(lap.end_ns - begin);
    if (begin < from || lap.end_ns > pause) {
      cost -= paused.within(begin, lap.end_ns);
      from = lap.end_ns;
      pause = paused.next_pause_begin(from);
    }
    costs[i] = std::max(0.0, cost.count());
    queued = queued || !lap.finished;
  }
  if (queued) share_out_queued(log.laps, costs, log.removed);
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

void share_out_queued(std::span<const Lap> laps, std::span<double> costs,
                      std::span<const RemovedPause> pauses) {
  std::size_t begin = 0;
  auto pause = pauses.begin();
  for (std::size_t i = 0; i < laps.size(); ++i) {
    if (begin < i && laps[i].phase != laps[begin].phase) begin = i;
    for (; pause != pauses.end() && pause->at_ns <= laps[i].end_ns; ++pause) begin = i;
    if (!laps[i].finished) continue;
    const std::size_t count = i + 1 - begin;
    if (count > 1) share_out(laps.subspan(begin, count), costs.subspan(begin, count));
    begin = i + 1;
  }
}

std::size_t known_laps(std::span<const Lap> laps) {
  std::size_t known = laps.size();
  while (known > 0 && !laps[known - 1].finished) --known;
  return known > 0 ? known : laps.size();
}

Series::Series(const LapLog& the_log, Conditions conditions)
    : log(the_log),
      paused(log),
      costs(conditions == Conditions::undisturbed ? undisturbed_costs(log, paused)
                                                  : lap_costs(log, paused)),
      full(full_laps(log.laps, costs)),
      coarse(laps_are_epochs(log)) {
  leave_out_laps_beside(log, full);
  if (conditions == Conditions::undisturbed) leave_out_disturbed(log, full);
  slices = split_at_pauses(log, full);
  observations = observations_of(log.laps, full.index, full.seconds);
  std::vector<std::size_t> begins;
  for (const std::size_t lap : slices) begins.push_back(observations.at_lap(lap));
  observed_state = coarse ? find_coarse_state(observed()) : find_steady_state(observed(), begins);
  state = by_laps(observed_state, observations, full.seconds);
}

const Lap& Series::first_lap_of(std::size_t observation) const {
  const std::size_t lap = observations.are_laps() ? observation : observations.begins[observation];
  return log.laps[full.index[lap]];
}

const Lap& Series::last_lap_of(std::size_t observation) const {
  if (observations.are_laps()) return log.laps[full.index[observation]];
  const bool is_last = observation + 1 == observations.begins.size();
  const std::size_t end = is_last ? full.index.size() : observations.begins[observation + 1];
  return log.laps[full.index[end - 1]];
}

double Series::excess(LapRange laps, double steady_lap) const {
  double excess = 0;
  for (std::size_t i = laps.first; i < laps.end; ++i) {
    const bool is_overhead = full.without_first_of_epoch && begins_epoch(log.laps, i);
    if (!is_overhead) excess += costs[i] - steady_lap * share(i);
  }
  return excess;
}

SteadyMean mean_of(const Series& series) {
  return series.coarse
             ? coarse_mean(series.observed(), series.observed_state)
             : steady_mean(series.observed(), series.observed_state, series.observations.laps);
}

std::vector<double> epoch_boundaries(const Series& series, double steady_lap) {
  const std::vector<Lap>& laps = series.log.laps;
  const std::vector<EpochSpan>& epochs = series.log.epochs;
  std::vector<double> boundaries;
  for (std::size_t e = 0; e + 1 < epochs.size(); ++e) {
    const EpochSpan& next = epochs[e + 1];
    const auto first = static_cast<std::size_t>(next.first_lap);
    const bool has_begun_only = first == laps.size() && steady_lap <= 0;
    if (first == 0 || !has_laps(epochs[e], laps.size())) continue;
    if (!has_begun_only && !has_laps(next, laps.size())) continue;
    const std::int64_t begin = laps[first - 1].end_ns;
    const std::int64_t end = has_begun_only ? next.span.begin_ns : laps[first].begin_ns;
    const Seconds gap = from_ns(end - begin) - series.paused.within(begin, end);
    const double longer =
        steady_lap > 0 ? series.costs[first] - steady_lap * series.share(first) : 0;
    boundaries.push_back(gap.count() + longer);
  }
  return boundaries;
}

std::vector<Seconds> whole_epochs(const Series& series) {
  const std::vector<EpochSpan>& epochs = series.log.epochs;
  std::vector<Seconds> times;
  for (std::size_t e = 0; e < epochs.size() && epochs[e].ended; ++e) {
    const Span& span = epochs[e].span;
    times.push_back(e + 1 < epochs.size()
                        ? from_ns(epochs[e + 1].span.begin_ns - span.begin_ns)
                        : span.seconds() + series.paused.within(span.end_ns, series.log.last_ns));
  }
  return times;
}

}  // namespace lapcast

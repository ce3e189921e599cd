#include "forecast/lap_slices.h"

#include <algorithm>
#include <cstdint>

#include "forecast/lap_observations.h"
#include "stats/noise.h"

namespace lapcast {
namespace {

constexpr double kErrorOfFewLaps = 0.1;
constexpr std::size_t kFewLapsOfASlice = 3;
constexpr double kBlockSeconds = 2;  // a slice that is longer than two of them is split
constexpr std::size_t kMostBlocksOfASlice = 8;

/// Returns a time of a log in seconds, including the pauses that were removed before it.
double with_pauses(const LapLog& log, std::int64_t at_ns) {
  std::int64_t ns = at_ns;
  for (const RemovedPause& pause : log.removed)
    if (pause.at_ns < at_ns) ns += pause.length_ns;
  return from_ns(ns).count();
}

/// Holds the observations first .. end - 1 of a series.
struct ObservationRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Adds the mean of the observations, without stalls that do not recur, to the slices.
void add_slice(std::vector<LapSlice>& slices, const Series& series, ObservationRange range) {
  const SteadyState& state = series.observed_state;
  const LapObservations& observations = series.observations;
  std::vector<double> values, weights;
  double length = 0;
  for (std::size_t i = range.first; i < range.end; ++i) {
    if (!state.stalls_recur && std::ranges::binary_search(state.stalls, i)) continue;
    values.push_back(series.observed()[i]);
    if (observations.are_laps()) continue;
    weights.push_back(observations.laps[i]);
    length += values.back() * weights.back();
  }
  const MeanEstimate mean = autocorrelated_mean(values, weights);
  if (values.empty() || !(mean.interval.mid > 0)) return;
  double error = kErrorOfFewLaps;
  if (values.size() >= kFewLapsOfASlice)
    error = mean.standard_error / mean.interval.mid;
  else if (!weights.empty())
    error = deviation_of_stretch(Seconds{length});
  slices.push_back({with_pauses(series.log, series.first_lap_of(range.first).begin_ns),
                    with_pauses(series.log, series.last_lap_of(range.end - 1).end_ns),
                    mean.interval.mid, error});
}

/// Adds a slice of observations, in blocks where it is long.
void add_slices(std::vector<LapSlice>& slices, const Series& series, ObservationRange range) {
  const std::size_t count = range.end - range.first;
  const Seconds length =
      from_ns(series.last_lap_of(range.end - 1).end_ns - series.first_lap_of(range.first).begin_ns);
  const auto blocks =
      std::clamp<std::size_t>(static_cast<std::size_t>(length.count() / kBlockSeconds), 1,
                              std::min(kMostBlocksOfASlice, count));
  for (std::size_t block = 0; block < blocks; ++block)
    add_slice(slices, series,
              {range.first + count * block / blocks, range.first + count * (block + 1) / blocks});
}

}  // namespace

std::vector<LapSlice> slices_of(const Series& series) {
  std::vector<LapSlice> slices;
  for (std::size_t i = 0; i < series.slices.size(); ++i) {
    const bool is_last = i + 1 == series.slices.size();
    const ObservationRange range{
        std::max(series.observations.at_lap(series.slices[i]), series.observed_state.begin),
        is_last ? series.observed().size() : series.observations.at_lap(series.slices[i + 1])};
    if (range.first < range.end) add_slices(slices, series, range);
  }
  return slices;
}

}  // namespace lapcast

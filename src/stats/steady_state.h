#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/noise.h"

namespace lapcast {

/// Says where warm-up ends in a series of lap times, and what disturbs the rest.
struct SteadyState {
  std::size_t begin = 0;            // index of the first steady value; 0 only when n < 2
  std::string why;                  // in plain words, for people
  std::vector<std::size_t> stalls;  // indices >= begin of isolated values far above the rest
  bool stalls_recur = false;  // three or more apart: part of what a lap costs, not an accident
  /// Gives by how much the steady part changes from its begin to its end, as a share of its mean; 0
  /// = not significant.
  double drift = 0;
  bool settled = true;  // false: the level changed shortly before the end
  /// Lists where the level changed: the first values of new levels, ascending, <= begin.
  std::vector<std::size_t> cuts;
};

/// Finds the steady part: the first value never belongs to it (n >= 2); then comes a cut wherever
/// head and tail differ by at least 1 % and by more than noise that may be autocorrelated, again
/// and again, so that slow warm-up, level shifts in the middle and trends all end before it.
/// Isolated stalls do not move the cut. docs/forecast.md has thresholds and false-alarm rates.
/// Fewer than 5 values only lose their first. O(n log n); of more than 16,384 values levels are
/// sought among the means of 4096 blocks and, to the value, among the first 4096.
SteadyState find_steady_state(std::span<const double> values);

/// Holds the mean of the steady values with an interval that is valid for autocorrelated values.
struct SteadyMean {
  MeanEstimate noise;  // without isolated stalls, with recurring ones
  /// Has the same mid; the interval also holds the mean with all stalls, and the level that a drift
  /// has reached at the end.
  Interval<double> whole;
};
/// Returns the mean of the values from state.begin on; it treats n = 0 and n = 1 as
/// autocorrelated_mean() does.
SteadyMean steady_mean(std::span<const double> values, const SteadyState& state);

/// Returns how a mean compares with that of the rest: "3 times as slow as the rest", "5 % faster
/// than the rest", or, where the rest took no time by a coarse clock, that.
std::string compare_with_rest(double value, double rest);

// The last two functions are for a handful of long laps, such as whole epochs: they are too few to
// find where they become steady, and each may hide caches that fill, a stall or other work. The
// rule was measured on MLPerf logs (docs/forecast.md): leave out the first two fifths, and trust no
// single lap.

/// Returns the last three fifths of the values (rounded up, never the first of two or more), or
/// fewer where find_steady_state() finds that they settled later.
SteadyState find_coarse_state(std::span<const double> values);

/// Returns the mean of the steady values, without the smallest and the largest where there are
/// three or more. The interval also holds the interval of the whole mean, so that a stall stays in
/// it.
SteadyMean coarse_mean(std::span<const double> values, const SteadyState& state);

}  // namespace lapcast

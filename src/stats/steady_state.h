#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/autocorrelation.h"

namespace lapcast {

/// Says where warm-up ends in a series of lap times, and what disturbs the rest.
struct SteadyState {
  std::size_t begin = 0;            // index of the first steady value; 0 only when n < 2
  std::string why;                  // in plain words, for people
  std::vector<std::size_t> stalls;  // indices >= begin of isolated values far above the rest
  bool stalls_recur = false;  // three or more apart: part of what a lap costs, not an accident
  double drift = 0;           // by how much the steady part changes from its begin to its end, as a
                              // share of its mean; 0 = not significant
  bool settled = true;        // false: the level changed shortly before the end
  std::vector<std::size_t> cuts;  // where the level changed: the first values of new levels, each
                                  // after the one before, <= begin
};

/// Finds the steady part: the first value never belongs to it (n >= 2); then comes a cut wherever
/// head and tail differ by at least 1 % and by more than noise that may be autocorrelated, again
/// and again, so that slow warm-up, level shifts in the middle and trends all end before it.
/// Isolated stalls do not move the cut. docs/forecast.md has thresholds and false-alarm rates.
/// For 5 values and more, fewer only lose their first. O(n log n); of more than 16,384 values
/// levels are sought among the means of 4096 blocks and, to the value, among the first 4096.
SteadyState find_steady_state(std::span<const double> values);

/// Holds the mean of the steady values with an interval that is valid for autocorrelated values.
struct SteadyMean {
  MeanEstimate noise;      // without isolated stalls, with recurring ones
  Interval<double> whole;  // the same mid; the interval also holds the mean with all stalls, and
                           // the level that a drift has reached at the end
};
/// Treats n = 0 and n = 1 as autocorrelated_mean() does.
SteadyMean steady_mean(std::span<const double> values, const SteadyState& state);

/// Returns how a mean compares with that of the rest: "3 times as slow as the rest", "5 % faster
/// than the rest", or, where the rest took no time by a coarse clock, that.
std::string compare_with_rest(double value, double rest);

}  // namespace lapcast

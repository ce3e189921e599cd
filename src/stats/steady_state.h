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
  /// Is true for three stalls or more: they are part of what a lap costs, not an accident.
  bool stalls_recur = false;
  /// Gives by how much the steady part changes from its begin to its end, as a share of its mean;
  /// above 0 = laps get slower, 0 = not significant.
  double drift = 0;
  bool settled = true;  // false: the level changed shortly before the end
  /// Lists the indices of the first values on new levels, ascending, <= begin.
  std::vector<std::size_t> cuts;
  std::size_t faster_cuts = 0;  // number of cuts after which values were smaller
};

/// Finds the steady part. The first value never belongs to it (n >= 2). Then the head is cut off
/// repeatedly while it differs from the tail by at least 1 % and by more than autocorrelated noise
/// (strongest_level_shift()), so that slow warm-up, level shifts in the middle and trends all end
/// before the steady part. Isolated stalls do not move the cut. With fewer than 5 values only the
/// first is cut off. docs/forecast.md has thresholds and false-alarm rates. O(n log n); with more
/// than 16,384 values, levels are located to the value only among the first 4096, and after these
/// among the means of 4096 blocks.
SteadyState find_steady_state(std::span<const double> values);

/// Finds the steady part of values that were measured in slices of time: warm-up ends in the first
/// slice, or in the first few if they have fewer than ten values together, and differences between
/// slices are taken as wandering of the machine's speed. `begins` has the index of the first value
/// of each slice, ascending from 0.
SteadyState find_steady_state(std::span<const double> values, std::span<const std::size_t> begins);

/// Holds the mean of the steady values with intervals that are valid for autocorrelated values.
struct SteadyMean {
  MeanEstimate noise;  // without isolated stalls, with recurring ones
  /// Gives the mean to forecast with. The interval contains that of `noise`, the mean with all
  /// stalls, and the level that a drift has reached at the end. Only coarse_mean() gives it a mid
  /// that differs from that of `noise`.
  Interval<double> whole;
};
/// Returns the mean of the values from state.begin on; it treats n = 0 and n = 1 as
/// autocorrelated_mean() does. With weights the mean is weighted, and the autocorrelation is taken
/// to be at least 1 / sqrt(n), which n values cannot tell from 0.
SteadyMean steady_mean(std::span<const double> values, const SteadyState& state,
                       std::span<const double> weights = {});

/// Returns SteadyState::why for laps of these times, from the begin and the cuts of the state.
std::string explain(std::span<const double> values, const SteadyState& state);

/// Returns in words how a mean compares with that of the rest: "3 times as slow as the rest", "5 %
/// faster than the rest". Where `rest` is 0, because of a coarse clock, the text says so.
std::string compare_with_rest(double value, double rest);

// The last two functions are for a handful of long laps, such as whole epochs: there are too few to
// find where they become steady, and each may hide caches that fill, a stall or other work. The
// rule was measured on MLPerf logs (docs/forecast.md): leave out the first two fifths, and trust no
// single lap.

/// Returns a steady state that begins with the last three fifths of the values (rounded up, never
/// with the first of two or more), or later where find_steady_state() finds that they settled
/// later.
SteadyState find_coarse_state(std::span<const double> values);

/// Returns steady_mean() with another whole.mid if there are three steady values or more: their
/// mean without the smallest and the largest. The interval is widened to contain it.
SteadyMean coarse_mean(std::span<const double> values, const SteadyState& state);

}  // namespace lapcast

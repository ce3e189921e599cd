#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Returns by how much the variance of the mean of n autocorrelated values exceeds that of n
/// independent ones: a factor of at least 1 (a gain by negative correlation is not used) and at
/// most n / 2. It is the larger of two estimates: Geyer's initial monotone positive sequence (Geyer
/// 1992, 3.3), and that of a first-order autoregression whose coefficient is corrected for its
/// small-sample bias (Kendall 1954). Long series are reduced to at most 2048 block means. Returns 1
/// when n < 4 or nothing varies by more than rounding.
double variance_inflation(std::span<const double> values);

/// Holds a mean with an interval that is valid for autocorrelated values.
struct MeanEstimate {
  /// Is computed like mean_interval(), with effective_n in place of n. With 10 values or more it
  /// extends at most half their range beyond the smallest and the largest: with effective_n near 2,
  /// Student's t alone would allow means many times the largest value.
  Interval<double> interval;
  double effective_n = 0;     // n / variance_inflation
  double standard_error = 0;  // of the mean; kUnknown when n < 2
};
/// Returns the estimate; its interval is unbounded when n = 1, and all kUnknown when n = 0. With
/// `weights`, all above 0, it is that of the weighted mean, whose error is that of a ratio (Cochran
/// 1977, eq. 2.39), and n becomes (sum w)^2 / sum w^2 (Kish 1965): a value of large weight counts
/// for more and makes the others worth less.
MeanEstimate autocorrelated_mean(std::span<const double> values,
                                 std::span<const double> weights = {});

/// Returns the median of the 2 * half + 1 values around each value; near the ends the window is
/// shifted, not shortened. If there are no more values than fit into a window, it is the median of
/// all. O(n * half).
std::vector<double> running_median(std::span<const double> values, std::size_t half);

/// Lists isolated values that exceed the running median of 11 by more than 30 % and by six robust
/// deviations (a normal value does so once in a billion). Up to five in a row are found; longer
/// disturbances are level shifts.
struct Stalls {
  std::vector<std::size_t> at;  // indices, ascending
  std::vector<double> usual;    // the running median at each of them
};
/// Finds the stalls of a series; none when n < 5. With more than 16,384 values the robust deviation
/// is estimated from 4,096 of them.
Stalls find_stalls(std::span<const double> values);

/// Returns how many stalls an ascending list of indices has; indices in a row are one stall.
std::size_t count_stalls(std::span<const std::size_t> at);

/// Returns the values with stalls replaced by the running median.
std::vector<double> clipped(std::span<const double> values, const Stalls& stalls);

/// Describes a change of the mean inside a series.
struct LevelShift {
  std::size_t at = 0;  // index of the first value on the new level
  double before = 0;   // mean of all values before it
  double after = 0;    // mean of all from it on
  double score = 0;    // |before - after| in standard errors that allow for autocorrelation
};

/// Returns the split that divides the series into its two most different levels (CUSUM, Page 1954),
/// whether or not it is significant: the caller judges the score. At least min_tail values stay
/// after it. The error is that of the residuals from the two levels, inflated for their
/// autocorrelation, so that the shift itself is not taken for noise. Returns nothing when n < 3,
/// n <= min_tail or nothing varies. O(n).
std::optional<LevelShift> strongest_level_shift(std::span<const double> values,
                                                std::size_t min_tail);

}  // namespace lapcast

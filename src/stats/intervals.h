#pragma once

#include <cstddef>
#include <span>

#include "core/seconds.h"

namespace lapcast {

// All intervals are 95 % confidence intervals.

/// Returns the interval of the mean of independent values by Student's t (Student 1908). It is
/// unbounded (+-infinity) when n = 1, and all kUnknown when n = 0.
Interval<double> mean_interval(std::span<const double> values);

/// Returns mid +- t * standard_error, with t the 0.975 quantile of Student's t for df > 0.
Interval<double> t_interval(double mid, double standard_error, double df);

/// Returns how far one more value may be from the mean of these, at a quantile of Student's t: half
/// of the prediction interval, t sd sqrt(1 + 1/n). One value alone tells nothing of it: 0.
double spread_of_next(std::span<const double> values, double quantile = 0.975);

/// Returns the interval of the median from order statistics: the narrowest symmetric pair of ranks
/// that covers the median with at least 95 % confidence (Conover 1999, 3.2). Below n = 6 it spans
/// all values, with a confidence of only 1 - 2^(1-n). It is unbounded when n = 1, and all kUnknown
/// when n = 0.
Interval<double> median_interval(std::span<const double> values);

/// Returns the interval of the median of autocorrelated values that are worth effective_n
/// independent ones (MeanEstimate): the ranks are further apart by sqrt(n / effective_n). With
/// effective_n >= n it is median_interval().
Interval<double> median_interval_autocorrelated(std::span<const double> values, double effective_n);

/// Returns the interval with its ends clamped to lowest .. highest, but never moved past its mid,
/// which stays the same even if it lies outside.
Interval<double> cut_to_range(const Interval<double>& interval, double lowest, double highest);

/// Returns (high - low) / 2 / |mid|; kUnknown when mid is 0 or unknown.
double relative_half_width(const Interval<double>& interval);

/// Returns the mean of a few measurements with an interval that is always bounded. With 5 values or
/// more it is mean_interval(). Fewer say little about their deviation, so the interval is a normal
/// one with the larger of their deviation and least_deviation, a share of the mean. The interval is
/// not below 0 unless its mid is; all of it is 0 when n = 0.
Interval<double> few_values_interval(std::span<const double> values, double least_deviation);

/// Collects independent errors of a value that is above 0, such as a time, and builds its interval.
/// Errors add in quadrature on the log scale, so both ends stay above 0 however large they are.
class LogErrors {
 public:
  /// Adds an error from the factor exp(-below) to the factor exp(above); neither is negative.
  LogErrors& add(double below, double above);
  /// Adds the error of a value above 0, as the distances from the value to the ends of its
  /// interval. A `below` of more than 95 % of the value counts as 95 %.
  LogErrors& add_distances(double value, double below, double above);
  /// Adds the error that an interval expresses, whose mid is above 0.
  LogErrors& add(const Interval<Seconds>& interval);
  /// Returns the interval around `mid`, which must be above 0.
  Interval<Seconds> around(Seconds mid) const;

 private:
  double below_ = 0;
  double above_ = 0;
};

Interval<Seconds> to_seconds(const Interval<double>& seconds);
/// Returns the interval times a factor that is not negative.
Interval<Seconds> scaled(const Interval<Seconds>& interval, double factor);
/// Returns the sums of the bounds, for fully correlated errors (independent ones: QuadratureSum).
Interval<Seconds> operator+(const Interval<Seconds>& a, const Interval<Seconds>& b);

// The next three functions describe confidence sequences for a mean. The first two return a factor:
// with probability 1 - error the true mean lies within factor * standard error (s / sqrt(n)) of the
// estimate at every n at once, so a caller may judge after each value and stop at any time.
// 0 < error < 1. For autocorrelated values n is MeanEstimate::effective_n; it need not be whole.

/// Returns the factor for a known standard deviation, or one that is at least the true one: the
/// normal mixture (Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon 2021, eq. 14), tightest for few
/// values.
double anytime_z_factor(double n, double error);

/// Returns the factor where the standard deviation is estimated from the same n normal values: the
/// t-test mixture (Lai 1976; Wang, Ramdas 2024, with a normal effect of 3 standard deviations). It
/// is infinite while n is too small.
double anytime_t_factor(double n, double error);

/// Returns the smaller of two half-widths that hold together with probability 1 - error: the one by
/// anytime_t_factor() from the estimated standard error, and the one by anytime_z_factor() with a
/// standard deviation of at least `least_deviation`. All have the unit of the values.
double anytime_half_width(double standard_error, double least_deviation, double n, double error);

/// Says how often a measurement is repeated: at least `at_least` times, and until half the width of
/// the 95 % Student-t interval is below a share of the mean (Kunas 2023), but at most `most` times.
/// With at_least = 1 it is measured once, and there is no interval.
struct RepeatRule {
  std::size_t at_least = 10;
  double precision = 0.05;  // half-width as a share of the mean
  std::size_t most = 0;     // 0 = three times at_least
  double resolution = 0;    // a half-width of at most this is precise enough, in the values' unit

  std::size_t at_most() const { return at_least <= 1 ? 1 : most > 0 ? most : 3 * at_least; }
};

/// Says whether a measurement was repeated often enough.
enum class Repeats {
  more,        // not enough yet
  enough,      // as precise as wanted
  not_precise  // at_most() is reached, and the interval is still too wide
};
/// Applies the rule to the values measured so far.
Repeats judge_repeats(std::span<const double> values, const RepeatRule& rule);

/// Returns the expected total number of repeats at the current variance: at least one more than
/// there are while the judgement is Repeats::more, at most at_most(). Use it for planning only;
/// judge_repeats() decides.
std::size_t expected_runs(std::span<const double> values, const RepeatRule& rule);

}  // namespace lapcast

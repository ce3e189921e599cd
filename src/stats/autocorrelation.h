#pragma once

#include <span>

#include "core/interval.h"

namespace lapcast {

/// How often the variance of the mean of n autocorrelated values is that of n independent ones,
/// at least 1 (what negative correlation would gain is not taken) and at most n / 2. The larger
/// of two estimates: Geyer's initial monotone positive sequence (Geyer 1992, 3.3), and that of a
/// first-order autoregression whose coefficient is corrected for its small-sample bias (Kendall
/// 1954). Long series are worked on as up to 2048 block means. 1 when n < 4 or nothing varies.
double variance_inflation(std::span<const double> values);

/// A mean with an interval that stands up to autocorrelated values.
struct MeanEstimate {
  // As mean_interval(), with effective_n in place of n; from 10 values on at most half their range
  // beyond the smallest and the largest: two levels are worth two values, and Student's t alone
  // would then allow means that are many times what was ever seen.
  Interval<double> interval;
  double effective_n = 0;     // n / variance_inflation
  double standard_error = 0;
};
MeanEstimate autocorrelated_mean(std::span<const double> values, double confidence = 0.95);

}  // namespace lapcast

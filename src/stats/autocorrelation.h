#pragma once

#include <span>

#include "core/interval.h"

namespace lapcast {

/// Returns by how much the variance of the mean of n autocorrelated values exceeds that of n
/// independent ones: a factor of at least 1 (a gain by negative correlation is not used) and at
/// most n / 2. It is the larger of two estimates: Geyer's initial monotone positive sequence (Geyer
/// 1992, 3.3), and that of a first-order autoregression whose coefficient is corrected for its
/// small-sample bias (Kendall 1954). Long series are reduced to at most 2048 block means. Returns 1
/// when n < 4 or nothing varies.
double variance_inflation(std::span<const double> values);

/// Holds a mean with an interval that is valid for autocorrelated values.
struct MeanEstimate {
  // As mean_interval(), with effective_n in place of n; from 10 values on at most half their range
  // beyond the smallest and the largest: two levels are worth two values, and Student's t alone
  // would then allow means that are many times what was ever seen.
  Interval<double> interval;
  double effective_n = 0;  // n / variance_inflation
  double standard_error = 0;
};
MeanEstimate autocorrelated_mean(std::span<const double> values, double confidence = 0.95);

}  // namespace lapcast

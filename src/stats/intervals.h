#pragma once

#include <span>

#include "core/interval.h"

namespace lapcast {

/// Returns the interval of the mean of independent values by Student's t (Student 1908). It is
/// unbounded (+-infinity) when n = 1, and all kUnknown when n = 0.
Interval<double> mean_interval(std::span<const double> values, double confidence = 0.95);

/// Returns mid +- t(df) * standard_error.
Interval<double> t_interval(double mid, double standard_error, double df, double confidence = 0.95);

/// Returns the interval of the median from order statistics: the narrowest symmetric pair of ranks
/// that covers with at least the confidence (Conover 1999, 3.2). Below the n where smallest and
/// largest do (6 for 95 %) it is these two, which cover with 1 - 2^(1-n) only. n = 1: unbounded; n
/// = 0: all kUnknown.
Interval<double> median_interval(std::span<const double> values, double confidence = 0.95);

/// Returns the 95 % interval for autocorrelated values that are worth effective_n independent ones:
/// the ranks are further apart by sqrt(n / effective_n).
Interval<double> median_interval_autocorrelated(std::span<const double> values, double effective_n);

/// Returns the interval without what lies below lowest or above highest; the mid stays inside.
Interval<double> cut(const Interval<double>& interval, double lowest, double highest);

/// Returns (high - low) / 2 / |mid|; kUnknown when mid is 0 or unknown.
double relative_half_width(const Interval<double>& interval);

}  // namespace lapcast

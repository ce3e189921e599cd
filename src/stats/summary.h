#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace lapcast {

/// What a statistic of too few values is: not a number, so that nobody takes it for one.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Arithmetic mean; kUnknown when n = 0.
double mean(std::span<const double> values);

/// Standard deviation of a sample (divided by n - 1); kUnknown when n < 2.
double standard_deviation(std::span<const double> values);

/// The p-quantile, 0 <= p <= 1, interpolated between order statistics (Hyndman and Fan 1996,
/// type 7: what R and NumPy do); kUnknown when n = 0.
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);

/// Median absolute deviation from the median, unscaled; kUnknown when n = 0, 0 when n = 1.
double median_absolute_deviation(std::span<const double> values);

/// 1.4826 * median absolute deviation: estimates the standard deviation of normal values and is
/// blind to up to half of outliers (Rousseeuw and Croux 1993).
double robust_deviation(std::span<const double> values);

struct Summary {
  std::size_t n = 0;
  double mean = kUnknown;
  double sd = kUnknown;
  double median = kUnknown;
  double mad = kUnknown;
  double min = kUnknown;
  double max = kUnknown;
};
Summary summarise(std::span<const double> values);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace lapcast {

/// Stands for a statistic of too few values: not a number, so that it cannot be taken for one.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Returns the arithmetic mean; kUnknown when n = 0.
double mean(std::span<const double> values);

/// Returns the standard deviation of a sample (divided by n - 1); kUnknown when n < 2.
double standard_deviation(std::span<const double> values);

/// Returns the p-quantile, 0 <= p <= 1, interpolated between order statistics (Hyndman and Fan
/// 1996, type 7: what R and NumPy do); kUnknown when n = 0.
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);

/// Returns the median absolute deviation from the median, unscaled; kUnknown when n = 0, 0 when n
/// = 1.
double median_absolute_deviation(std::span<const double> values);

/// Returns 1.4826 * median absolute deviation. It estimates the standard deviation of normal
/// values, and up to half of the values may be outliers (Rousseeuw and Croux 1993).
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

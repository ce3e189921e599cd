#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace lapcast {

/// Stands for a statistic of too few values. It is NaN: test for it with std::isnan.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Returns the arithmetic mean; kUnknown when n = 0.
double mean(std::span<const double> values);

/// Returns the standard deviation of a sample (divided by n - 1); kUnknown when n < 2.
double standard_deviation(std::span<const double> values);

/// Returns the p-quantile, 0 <= p <= 1, interpolated between order statistics (Hyndman and Fan
/// 1996, type 7: what R and NumPy do); kUnknown when n = 0.
double quantile(std::span<const double> values, double p);
/// Returns the 0.5 quantile.
double median(std::span<const double> values);

/// Returns the value in the middle; of an even number of values the larger of the middle two. Needs
/// at least one value.
template <class T>
T upper_median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the median absolute deviation from the median, unscaled; kUnknown when n = 0, 0 when
/// n = 1.
double median_absolute_deviation(std::span<const double> values);

/// Returns 1.4826 * median absolute deviation. It estimates the standard deviation of normal
/// values, and up to half of the values may be outliers (Rousseeuw and Croux 1993).
double robust_deviation(std::span<const double> values);

/// Holds the usual statistics of a sample; mad is median_absolute_deviation().
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

/// Holds values with weights: a weighted sample or a distribution. A value may be infinite.
class WeightedValues {
 public:
  /// Adds a value, unless its weight is 0 or less.
  void add(double value, double weight);
  /// Adds the values of another distribution with their weights times `weight`, for a mixture.
  void add(const WeightedValues& other, double weight);
  bool empty() const { return entries_.empty(); }
  /// Returns the sum of the weights.
  double weight() const { return weight_; }
  /// Returns the smallest value at which at least the share p of the weight is reached,
  /// 0 <= p <= 1; kUnknown without values. The first call after an add() takes n log n, unless all
  /// values were added in ascending order.
  double quantile(double p) const;
  /// Returns the share of the weight that lies on values <= `value`. Needs a weight() above 0.
  double share_up_to(double value) const;

 private:
  struct Entry {
    double value = 0;
    double weight = 0;
  };
  mutable std::vector<Entry> entries_;
  double weight_ = 0;
  mutable bool sorted_ = true;
};

// The functions below shorten a series that is too long to process every value.

/// Returns the means of consecutive blocks of `block` values; an incomplete last block is left out.
std::vector<double> block_means(std::span<const double> values, std::size_t block);

/// Returns one index from each of `most` equal stretches of n, in order; all indices if n <= most.
/// The position within a stretch varies, so that the choice cannot coincide with a pattern in the
/// series; the same n always gives the same indices.
std::vector<std::size_t> thinned_indices(std::size_t n, std::size_t most = 4096);
/// Returns the values at thinned_indices().
std::vector<double> thinned(std::span<const double> values, std::size_t most = 4096);

}  // namespace lapcast

#include "stats/intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/distributions.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Above this the normal approximation of the binomial is exact to a rank.
constexpr std::size_t kManyValues = 1000;

Interval<double> too_few(std::span<const double> values) {
  if (values.empty()) return {kUnknown, kUnknown, kUnknown};
  return {-kInfinity, values[0], kInfinity};
}

// Values with `outside` of the sorted ones beyond each end.
Interval<double> between_ranks(std::span<const double> values, std::size_t outside) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return {sorted[outside], median(sorted), sorted[sorted.size() - 1 - outside]};
}

std::size_t ranks_outside(double n, double z, double inflation) {
  return static_cast<std::size_t>(
      std::max(0.0, std::floor((n - z * std::sqrt(n * inflation)) / 2)));
}

}  // namespace

Interval<double> t_interval(double mid, double standard_error, double df, double confidence) {
  const double half = student_t_quantile(0.5 + confidence / 2, df) * standard_error;
  return {mid - half, mid, mid + half};
}

Interval<double> mean_interval(std::span<const double> values, double confidence) {
  if (values.size() < 2) return too_few(values);
  const double n = static_cast<double>(values.size());
  return t_interval(mean(values), standard_deviation(values) / std::sqrt(n), n - 1, confidence);
}

Interval<double> median_interval(std::span<const double> values, double confidence) {
  if (values.size() < 2) return too_few(values);
  const std::size_t n = values.size();
  const double tail = (1 - confidence) / 2;
  std::size_t outside = 0;
  if (n > kManyValues) {
    outside = ranks_outside(static_cast<double>(n),
                            student_t_quantile(1 - tail, static_cast<double>(n)), 1);
  } else {
    while (binomial_half_cdf(outside, n) <= tail) ++outside;
  }
  return between_ranks(values, outside > 0 && n <= kManyValues ? outside - 1 : outside);
}

Interval<double> median_interval_autocorrelated(std::span<const double> values,
                                                double effective_n) {
  const double n = static_cast<double>(values.size());
  if (values.size() < 2 || effective_n >= n) return median_interval(values);
  return between_ranks(values, ranks_outside(n, kZ95, n / std::max(1.0, effective_n)));
}

Interval<double> cut(const Interval<double>& interval, double lowest, double highest) {
  return {std::max(interval.low, std::min(lowest, interval.mid)), interval.mid,
          std::min(interval.high, std::max(highest, interval.mid))};
}

double relative_half_width(const Interval<double>& interval) {
  if (interval.mid == 0) return kUnknown;
  return (interval.high - interval.low) / 2 / std::abs(interval.mid);
}

}  // namespace lapcast

#include "stats/ratio_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {

RatioEstimate ratio_estimate(std::span<const double> y, std::span<const double> x) {
  const auto n = static_cast<double>(x.size());
  const double sum_x = std::reduce(x.begin(), x.end());
  RatioEstimate estimate{std::reduce(y.begin(), y.end()) / sum_x, kUnknown, 1};
  if (x.size() < 2) return estimate;
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += std::pow(y[i] - estimate.ratio * x[i], 2);
  estimate.df = n - 1;
  estimate.standard_error = std::sqrt(squares / estimate.df / n) / (sum_x / n);
  return estimate;
}

Interval<double> interval_of(const RatioEstimate& estimate, double total) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double mid = estimate.ratio * total;
  if (std::isnan(estimate.standard_error)) return {-kInfinity, mid, kInfinity};
  return t_interval(mid, estimate.standard_error * total, std::max(estimate.df, 1.0));
}

}  // namespace lapcast

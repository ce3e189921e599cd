#include "stats/ratio.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/summary.h"
#include "stats/welch.h"

namespace lapcast {
namespace {

double squared_error_of_mean(std::span<const double> values) {
  const double sd = standard_deviation(values);
  return sd * sd / static_cast<double>(values.size());
}

}  // namespace

// The ratios r for which (A - r B)^2 <= t^2 (sA^2 + r^2 sB^2): between the roots of a parabola.
std::optional<Interval<double>> ratio_of_means(std::span<const double> a,
                                               std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  if (!(mean_a > 0) || !(mean_b > 0)) return std::nullopt;
  const auto welch = welch_test(a, b);
  if (!welch) return Interval<double>::exactly(mean_a / mean_b);  // neither varies
  const double t = student_t_quantile(0.975, welch->df);
  const double error_a = t * t * squared_error_of_mean(a);
  const double error_b = t * t * squared_error_of_mean(b);
  const double square = mean_b * mean_b - error_b;
  const double half_linear = mean_a * mean_b;
  const double root2 = half_linear * half_linear - square * (mean_a * mean_a - error_a);
  if (!(square > 0) || root2 < 0) return std::nullopt;
  const double root = std::sqrt(root2);
  return Interval<double>{std::max(0.0, (half_linear - root) / square), mean_a / mean_b,
                          (half_linear + root) / square};
}

}  // namespace lapcast

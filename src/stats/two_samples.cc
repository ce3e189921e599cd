#include "stats/two_samples.h"

#include <algorithm>
#include <cmath>

#include "stats/distributions.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

double square(double x) {
  return x * x;
}

double squared_error_of_mean(std::span<const double> values) {
  return square(standard_deviation(values)) / static_cast<double>(values.size());
}

}  // namespace

std::optional<WelchTest> welch_test(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const double na = static_cast<double>(a.size());
  const double nb = static_cast<double>(b.size());
  const double va = square(standard_deviation(a));
  const double vb = square(standard_deviation(b));
  const double squared_error = va / na + vb / nb;
  if (squared_error == 0) return std::nullopt;
  const double error = std::sqrt(squared_error);
  const double difference = mean(a) - mean(b);
  const double df =
      square(squared_error) / (square(va / na) / (na - 1) + square(vb / nb) / (nb - 1));
  // Hedges 1981: Cohen's d times 1 - 3 / (4 (na + nb) - 9), with its large-sample variance
  // (na + nb) / (na nb) + g^2 / (2 (na + nb)).
  const double pooled = std::sqrt(((na - 1) * va + (nb - 1) * vb) / (na + nb - 2));
  const double g = difference / pooled * (1 - 3 / (4 * (na + nb) - 9));
  const double error_of_g = std::sqrt((na + nb) / (na * nb) + square(g) / (2 * (na + nb)));
  return WelchTest{.t = difference / error,
                   .df = df,
                   .p_value = student_t_two_sided(difference / error, df),
                   .effect_size = g,
                   .effect = {g - kZ95 * error_of_g, g, g + kZ95 * error_of_g},
                   .difference = t_interval(difference, error, df)};
}

// The interval holds the ratios r for which (A - r B)^2 <= t^2 (sA^2 + r^2 sB^2): those between the
// roots of a parabola.
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

std::optional<Interval<double>> speed_up(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty() || !(mean(b) > 0)) return std::nullopt;
  if (const auto ratio = ratio_of_means(a, b)) return ratio;
  return Interval<double>::exactly(mean(a) / mean(b));
}

}  // namespace lapcast

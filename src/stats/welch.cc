#include "stats/welch.h"

#include <cmath>

#include "stats/distributions.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

double square(double x) {
  return x * x;
}

// Hedges 1981: Cohen's d times 1 - 3 / (4 (na + nb) - 9).
double hedges_g(double difference, double va, double vb, double na, double nb) {
  const double pooled = std::sqrt(((na - 1) * va + (nb - 1) * vb) / (na + nb - 2));
  return difference / pooled * (1 - 3 / (4 * (na + nb) - 9));
}

// Large-sample variance of g: (na + nb) / (na nb) + g^2 / (2 (na + nb)).
Interval<double> effect_interval(double g, double na, double nb) {
  const double error = std::sqrt((na + nb) / (na * nb) + square(g) / (2 * (na + nb)));
  return {g - kZ95 * error, g, g + kZ95 * error};
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

  WelchTest test;
  const double difference = mean(a) - mean(b);
  test.t = difference / std::sqrt(squared_error);
  test.df = square(squared_error) / (square(va / na) / (na - 1) + square(vb / nb) / (nb - 1));
  test.p_value = student_t_two_sided(test.t, test.df);
  test.effect_size = hedges_g(difference, va, vb, na, nb);
  test.effect = effect_interval(test.effect_size, na, nb);
  test.difference = t_interval(difference, std::sqrt(squared_error), test.df);
  return test;
}

}  // namespace lapcast

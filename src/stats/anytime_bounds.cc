#include "stats/anytime_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lapcast {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kMixtureValues = 1;   // the normal mixture's variance, in values
constexpr double kEffectVariance = 9;  // of the t-test mixture's effect, in variances of a value

}  // namespace

double anytime_z_factor(double n, double error) {
  if (!(n > 0)) return kInfinite;
  const double ratio = (n + kMixtureValues) / kMixtureValues;
  return std::sqrt((n + kMixtureValues) / n * std::log(ratio / (error * error)));
}

// The mixture's likelihood ratio at t is (1 + n v)^(-1/2) ((1 + t^2 / f) / (1 + t^2 / (f (1 + n
// v))))
// ^(n / 2) with f = n - 1; by Ville's inequality it ever reaches 1 / error with probability error.
double anytime_t_factor(double n, double error) {
  if (!(n > 1)) return kInfinite;
  const double widened = 1 + n * kEffectVariance;
  const double limit = std::pow(widened / (error * error), 1 / n);
  if (limit >= widened) return kInfinite;
  return std::sqrt((n - 1) * (limit - 1) / (1 - limit / widened));
}

double anytime_half_width(double standard_error, double least_deviation, double n, double error) {
  const double cautious = std::max(standard_error, least_deviation / std::sqrt(n));
  const double by_prior = cautious * anytime_z_factor(n, error / 2);
  const double factor = anytime_t_factor(n, error / 2);
  return std::isfinite(factor) ? std::min(by_prior, standard_error * factor) : by_prior;
}

}  // namespace lapcast

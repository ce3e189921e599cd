#include "extrapolate/own_programs.h"

#include <algorithm>
#include <functional>

#include "extrapolate/machine_factors.h"

namespace lapcast {
namespace {

/// Returns what is common to the user's programs when one more was measured. `own` is the
/// covariance of what a program has for itself.
Gaussian given_one(const Gaussian& common, const Gaussian& own, const OwnTimes& times) {
  const std::size_t n = common.size(), all = n + times.places.size();
  const auto place_of = [&](std::size_t i) { return i < n ? i : times.places[i - n]; };
  Gaussian joint{std::vector<double>(all), std::vector<double>(all * all)};
  for (std::size_t i = 0; i < all; ++i) {
    joint.mean[i] = common.mean[place_of(i)];
    for (std::size_t j = 0; j < all; ++j) {
      joint.cov(i, j) = common.cov(place_of(i), place_of(j));
      if (i >= n && j >= n) joint.cov(i, j) += own.cov(place_of(i), place_of(j));
    }
  }
  for (std::size_t k = 0; k < times.places.size(); ++k)
    condition(joint, n + k, times.log_seconds[k], times.noise[k]);
  return first_of(joint, n);
}

}  // namespace

Gaussian given_own_programs(Gaussian program, std::span<const OwnTimes> others, double share) {
  if (others.empty()) return program;
  // The constant of a program says nothing of another one.
  constexpr double kConstant = kFlatSd * kFlatSd;
  Gaussian common = program;
  for (double& value : common.covariance) value = share * (value - kConstant);
  for (double& value : program.covariance) value = (1 - share) * (value - kConstant) + kConstant;
  for (const OwnTimes& times : others) common = given_one(common, program, times);
  program.mean = common.mean;
  std::ranges::transform(program.covariance, common.covariance, program.covariance.begin(),
                         std::plus{});
  return program;
}

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Holds what is known of some numbers together: their means and covariances.
struct Gaussian {
  std::vector<double> mean;
  std::vector<double> covariance;  // row by row

  std::size_t size() const { return mean.size(); }
  double cov(std::size_t i, std::size_t j) const { return covariance[i * mean.size() + j]; }
  double& cov(std::size_t i, std::size_t j) { return covariance[i * mean.size() + j]; }
};

/// Returns the numbers of the given places, in that order.
Gaussian selected(const Gaussian& known, std::span<const std::size_t> places);

/// Returns the first `count` numbers.
Gaussian first_of(const Gaussian& known, std::size_t count);

/// Learns that number `place` was observed as `value`, with a noise of standard deviation `noise`:
/// all others move with it.
void condition(Gaussian& known, std::size_t place, double value, double noise);

/// Returns `count` random vectors, row by row; the same seed gives the same ones.
std::vector<double> draws(const Gaussian& known, std::size_t count, std::uint64_t seed);

/// Returns the 2.5 %, 50 % and 97.5 % quantiles of a mixture of two normal distributions, where the
/// second has the given share; an interval of the first alone where the share is 0.
struct NormalPart {
  double mean = 0;
  double sd = 0;
};
Interval<double> mixture_interval(NormalPart first, NormalPart second, double share);

}  // namespace lapcast

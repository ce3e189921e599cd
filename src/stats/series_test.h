#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace lapcast {

/// Returns, for tests, laps of mean 1 with relative sd `sd` and first-order autocorrelation rho,
/// from a generator that the caller seeds.
inline std::vector<double> noisy_laps(std::mt19937_64& generator, std::size_t n, double sd,
                                      double rho = 0) {
  std::normal_distribution<double> normal;
  std::vector<double> laps(n);
  double state = normal(generator);
  for (double& lap : laps) {
    lap = 1 + sd * state;
    state = rho * state + std::sqrt(1 - rho * rho) * normal(generator);
  }
  return laps;
}

/// Returns the share of `tries` for which the predicate holds.
template <class Predicate>
double share_of(int tries, Predicate predicate) {
  int hits = 0;
  for (int i = 0; i < tries; ++i) hits += predicate() ? 1 : 0;
  return static_cast<double>(hits) / tries;
}

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace lapcast {

/// Learns which of several kinds something is that may change its kind: the forward filter of a
/// hidden Markov model (Rabiner 1989) whose states are the kinds, and which draws the kind anew
/// from the prior with the chance `change` before each observation.
class KindBelief {
 public:
  /// The weights of the prior sum to 1; 0 <= change <= 1.
  KindBelief(std::span<const double> prior, double change)
      : prior_(prior.begin(), prior.end()), weights_(prior_), change_(change) {}
  /// Takes an observation by its likelihood under each kind, >= 0. One that no kind explains
  /// changes nothing but what time changes. Returns its likelihood under the belief before.
  double observe(const std::function<double(std::size_t kind)>& likelihood);
  std::span<const double> weights() const { return weights_; }

 private:
  std::vector<double> prior_;
  std::vector<double> weights_;
  double change_;
};

/// Holds the likelihoods of one observation after the other, each under all kinds.
using Likelihoods = std::vector<std::vector<double>>;

/// Returns the weights of a prior: the mean belief over all observations, each sequence with the
/// same weight, found in five rounds from equal weights. Without sequences they are equal.
std::vector<double> learned_weights(std::span<const Likelihoods> sequences, std::size_t kinds,
                                    double change);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace lapcast {

/// Infers the current kind of something that may change its kind: the forward filter of a hidden
/// Markov model (Rabiner 1989) whose states are the kinds. Before each observation the kind is
/// drawn anew from the prior with probability `change`.
class KindBelief {
 public:
  /// The weights of the prior sum to 1; 0 <= change <= 1.
  KindBelief(std::span<const double> prior, double change)
      : prior_(prior.begin(), prior.end()), weights_(prior_), change_(change) {}
  /// Updates the belief by an observation, given as its likelihood (>= 0) under each kind. An
  /// observation that no kind explains only lets time pass. Returns its likelihood under the belief
  /// before.
  double observe(const std::function<double(std::size_t kind)>& likelihood);
  std::span<const double> weights() const { return weights_; }

 private:
  std::vector<double> prior_;
  std::vector<double> weights_;
  double change_;
};

/// Holds the likelihoods of successive observations, each under all kinds.
using Likelihoods = std::vector<std::vector<double>>;

/// Returns the weights of a prior: the mean belief over all observations, each sequence with the
/// same weight, found in five rounds from equal weights. Without sequences they are equal.
std::vector<double> learned_weights(std::span<const Likelihoods> sequences, std::size_t kinds,
                                    double change);

}  // namespace lapcast

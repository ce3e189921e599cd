#include "spot/kind_belief.h"

namespace lapcast {

double KindBelief::observe(const std::function<double(std::size_t kind)>& likelihood) {
  double sum = 0;
  std::vector<double> posterior(weights_.size());
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    weights_[i] = (1 - change_) * weights_[i] + change_ * prior_[i];
    posterior[i] = weights_[i] * likelihood(i);
    sum += posterior[i];
  }
  if (!(sum > 0)) return 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = posterior[i] / sum;
  return sum;
}

std::vector<double> learned_weights(std::span<const Likelihoods> sequences, std::size_t kinds,
                                    double change) {
  std::vector<double> weights(kinds, 1 / static_cast<double>(kinds));
  for (int round = 0; round < 5; ++round) {
    constexpr double kEqual = 1e-3;  // so that no kind is impossible
    std::vector<double> sum(kinds, kEqual / static_cast<double>(kinds));
    double total = kEqual;
    for (const Likelihoods& sequence : sequences) {
      KindBelief belief(weights, change);
      for (const std::vector<double>& likelihood : sequence) {
        belief.observe([&](std::size_t kind) { return likelihood[kind]; });
        for (std::size_t i = 0; i < kinds; ++i)
          sum[i] += belief.weights()[i] / static_cast<double>(sequence.size());
      }
      total += sequence.empty() ? 0 : 1;
    }
    for (std::size_t i = 0; i < kinds; ++i) weights[i] = sum[i] / total;
  }
  return weights;
}

}  // namespace lapcast

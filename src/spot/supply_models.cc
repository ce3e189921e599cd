#include "spot/supply_models.h"

#include <algorithm>
#include <utility>

namespace lapcast {

std::vector<TwoStateSupply> supply_grid(double tick_seconds) {
  std::vector<TwoStateSupply> supplies;
  const auto stays = [&](double hours) { return 1 - std::min(0.9, tick_seconds / (hours * 3600)); };
  constexpr double kHours[] = {1.0 / 6, 0.5, 1.5, 5, 15, 50};
  for (const double session : kHours)
    for (const double wait : kHours) supplies.push_back({stays(session), stays(wait)});
  return supplies;
}

SupplyBelief::SupplyBelief(const SupplyPrior& prior) : prior_(&prior), weights_(prior.weights) {}

void SupplyBelief::observe(bool there) {
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const TwoStateSupply& supply = prior_->supplies[i];
    if (begun_) {
      weights_[i] = (1 - prior_->change) * weights_[i] + prior_->change * prior_->weights[i];
      weights_[i] *= supply.chance(before_, there);
    } else {
      weights_[i] *= there ? supply.share() : 1 - supply.share();
    }
    sum += weights_[i];
  }
  for (double& weight : weights_) weight /= sum;
  begun_ = true;
  before_ = there;
}

SupplyPrior learned_prior(std::vector<TwoStateSupply> supplies,
                          std::span<const std::vector<std::uint8_t>> traces, double change) {
  const auto equal = 1 / static_cast<double>(supplies.size());
  SupplyPrior prior{std::move(supplies), {}, change};
  prior.weights.assign(prior.supplies.size(), equal);
  for (int round = 0; round < 5; ++round) {
    std::vector<double> mean(prior.weights.size(), equal * 1e-3);
    double total = 1e-3;
    for (const std::vector<std::uint8_t>& trace : traces) {
      SupplyBelief belief(prior);
      for (const std::uint8_t there : trace) {
        belief.observe(there != 0);
        for (std::size_t i = 0; i < mean.size(); ++i)
          mean[i] += belief.weights()[i] / static_cast<double>(trace.size());
      }
      total += trace.empty() ? 0 : 1;
    }
    for (std::size_t i = 0; i < mean.size(); ++i) prior.weights[i] = mean[i] / total;
  }
  return prior;
}

}  // namespace lapcast

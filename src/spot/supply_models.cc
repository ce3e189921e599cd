#include "spot/supply_models.h"

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

/// Returns the likelihood of a tick under a supply; the first tick has the supply's long-run share.
double likelihood_of(const TwoStateSupply& supply, bool begun, bool before, bool there) {
  if (begun) return supply.chance(before, there);
  return there ? supply.share() : 1 - supply.share();
}

}  // namespace

std::vector<TwoStateSupply> supply_grid(double tick_seconds) {
  std::vector<TwoStateSupply> supplies;
  const auto stays = [&](double hours) { return 1 - std::min(0.9, tick_seconds / (hours * 3600)); };
  constexpr double kHours[] = {1.0 / 6, 0.5, 1.5, 5, 15, 50};
  for (const double session : kHours)
    for (const double wait : kHours) supplies.push_back({stays(session), stays(wait)});
  return supplies;
}

SupplyBelief::SupplyBelief(const SupplyPrior& prior)
    : prior_(&prior), belief_(prior.weights, prior.change) {}

void SupplyBelief::observe(bool there) {
  belief_.observe(
      [&](std::size_t i) { return likelihood_of(prior_->supplies[i], begun_, before_, there); });
  begun_ = true;
  before_ = there;
}

SupplyPrior learned_prior(std::vector<TwoStateSupply> supplies,
                          std::span<const std::vector<std::uint8_t>> traces, double change) {
  std::vector<Likelihoods> sequences;
  for (const std::vector<std::uint8_t>& trace : traces) {
    Likelihoods& sequence = sequences.emplace_back();
    for (std::size_t tick = 0; tick < trace.size(); ++tick) {
      std::vector<double>& row = sequence.emplace_back();
      for (const TwoStateSupply& supply : supplies)
        row.push_back(
            likelihood_of(supply, tick > 0, tick > 0 && trace[tick - 1] != 0, trace[tick] != 0));
    }
  }
  std::vector<double> weights = learned_weights(sequences, supplies.size(), change);
  return {std::move(supplies), std::move(weights), change};
}

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spot/kind_belief.h"

namespace lapcast {

/// Describes a supply of spot machines that is there or absent in each tick and has no memory: a
/// Markov chain of two states.
struct TwoStateSupply {
  double stays_there = 0.9;   // chance that a machine that is there is there in the next tick
  double stays_absent = 0.9;  // chance that it stays absent
  double chance(bool before, bool now) const {
    const double there = before ? stays_there : 1 - stays_absent;
    return now ? there : 1 - there;
  }
  /// Returns the share of ticks in which it is there.
  double share() const { return (1 - stays_absent) / (2 - stays_absent - stays_there); }
};

/// Returns 36 supplies: sessions and waits with means of 10 min, 30 min, 1.5, 5, 15 and 50 h.
std::vector<TwoStateSupply> supply_grid(double tick_seconds);

/// Holds the probability of each supply before any observation, and the chance that the supply
/// changes after a tick.
struct SupplyPrior {
  std::vector<TwoStateSupply> supplies;
  std::vector<double> weights;  // sum to 1
  double change = 0.002;        // chance per tick that the supply is drawn anew
};

/// Infers from ticks which of the supplies it is.
class SupplyBelief {
 public:
  /// The prior must outlive the belief.
  explicit SupplyBelief(const SupplyPrior& prior);
  void observe(bool there);
  std::span<const double> weights() const { return belief_.weights(); }

 private:
  const SupplyPrior* prior_;
  KindBelief belief_;
  bool begun_ = false;
  bool before_ = false;
};

/// Returns the prior whose weights are learned_weights() of the ticks of the traces.
SupplyPrior learned_prior(std::vector<TwoStateSupply> supplies,
                          std::span<const std::vector<std::uint8_t>> traces, double change);

}  // namespace lapcast

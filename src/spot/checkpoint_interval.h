#pragma once

#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "spot/lifetimes.h"

namespace lapcast {

/// Returns the time between two checkpoints by Young (1974), "A first order approximation to the
/// optimum checkpoint interval": sqrt(2 * cost * mean time between interruptions).
Seconds young_interval(Seconds checkpoint_cost, Seconds mean_lifetime);

/// Returns the time between two checkpoints by Daly (2006), "A higher order estimate of the optimum
/// checkpoint interval for restart dumps", its highest order: for cost < 2 * mean it is sqrt(2 cost
/// mean) * (1 + sqrt(cost / (2 mean)) / 3 + cost / (18 mean)) - cost, else the mean.
Seconds daly_interval(Seconds checkpoint_cost, Seconds mean_lifetime);

/// Says how much time checkpoints and interruptions cost a job.
struct CheckpointCosts {
  Seconds checkpoint{0};  // one checkpoint; work stands still meanwhile
  Seconds restart{0};     // from a new machine until work goes on: boot, set-up, reload
  Seconds notice{0};      // warning before an interruption: time for a last checkpoint
};

/// Divides the time on machines into shares, which sum to 1 together with the work that is kept.
struct LossShares {
  double checkpoints = 0;
  double lost_work = 0;  // done again after an interruption, unfinished checkpoints included
  double restarts = 0;
  double sum() const { return checkpoints + lost_work + restarts; }
};

/// Returns the expected shares for a job that is long compared with its sessions and saves after
/// every `interval` > 0 of work. By the renewal reward theorem they are the expected time per
/// session over the mean session (exact for these lifetimes).
LossShares expected_losses(const LifetimeDistribution& lifetimes, const CheckpointCosts& costs,
                           Seconds interval);

struct CheckpointPlan {
  Seconds interval{0};
  LossShares losses;
};

/// Returns the interval with the smallest expected losses for these lifetimes, by search over a
/// geometric grid, from a tenth of the cost of a checkpoint (at least 1 s) to the time that one
/// session in a thousand lasts. Returns the reason when a cost is negative or not finite, or when
/// the checkpoint costs nothing: then every moment is one.
Result<CheckpointPlan> best_interval(const LifetimeDistribution& lifetimes,
                                     const CheckpointCosts& costs);

}  // namespace lapcast

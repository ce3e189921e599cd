#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "spot/deadline_job.h"
#include "spot/supply_models.h"

namespace lapcast {

/// Holds the expected cost of the rest of a job from every state on, if all later choices are the
/// best, for a known supply: dynamic programming backwards in time (Bellman 1957). A choice that
/// could make the job miss its deadline costs kLate.
class DeadlinePlan {
 public:
  static constexpr float kLate = 1e9f;
  /// The job must be valid. The plan takes 8 * (2 restart + 1) * work * (deadline - work) bytes.
  DeadlinePlan(const DeadlineJob& job, const TwoStateSupply& supply);
  /// Returns the expected cost of a choice in a state with work left, and of all that follows.
  float cost_of(const DeadlineState& state, Held choice) const;

 private:
  /// Encodes the held machine and the ticks until it works as one number.
  std::size_t holding(Held held, int starting) const;
  std::size_t index(int idle, int work, std::size_t holding, bool there) const;
  /// Returns the mean over whether a spot machine is there in the next tick.
  float expected(int idle, int work, std::size_t holding, bool there) const;
  float cost(int idle, int work, Held held, int starting, bool there, Held choice) const;

  DeadlineJob job_;
  TwoStateSupply supply_;
  std::vector<float> values_;
};

/// Holds plans for all supplies of a prior, to be shared by policies for the same job.
struct DeadlinePlans {
  SupplyPrior prior;
  std::vector<DeadlinePlan> plans;
};
DeadlinePlans plans_for(const DeadlineJob& job, SupplyPrior prior);

/// Returns our policy: the choice with the least cost by the plans, weighted with the belief after
/// the ticks so far (QMDP, Littman, Cassandra, Kaelbling 1995). The policy may be copied, and is
/// used for the job of the plans, by one thread.
DeadlinePolicy planned_policy(std::shared_ptr<const DeadlinePlans> plans);

}  // namespace lapcast

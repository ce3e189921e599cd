#pragma once

#include <cstddef>
#include <vector>

#include "core/seconds.h"
#include "spot/checkpoint_interval.h"
#include "stats/survival.h"

namespace lapcast {

/// Holds what the learner assumes before it has observed a session. The defaults were chosen by
/// `./bench checkpoint-interval` on all its traces.
struct LearnerConstants {
  double shape = 2.5;          // of the Lomax distribution, > 0; small = lifetimes differ much
  double memory = 0.95;        // weight of a session relative to the next one, 0 < memory <= 1
  double prior_weight = 0.5;   // of one session of `prior_scale` that was interrupted
  Seconds prior_scale{80000};  // of the Lomax distribution
};

/// Chooses the time to the next checkpoint while a job runs, from the sessions so far. Lifetimes
/// have a Lomax distribution: exponential ones whose rates differ (Lomax 1954), so the hazard
/// shape / (scale + age) falls while a machine lasts, and intervals grow. Later sessions weigh
/// more, because the supply changes.
class IntervalLearner {
 public:
  explicit IntervalLearner(const LearnerConstants& constants = {}) : constants_(constants) {}
  /// Takes a session in seconds; one that is negative or not finite is left out. Only the last 400
  /// count.
  void add(const Lifetime& session);
  /// Returns the time from now to the begin of the next checkpoint on a machine of that age:
  /// sqrt(2 * cost / hazard) with the hazard in the middle of the interval (Young 1974 with a
  /// hazard that depends on age). cost > 0, age >= 0.
  Seconds next_interval(Seconds checkpoint_cost, Seconds age) const;
  /// Returns the scale of the distribution: the weighted maximum of the likelihood.
  double scale() const { return scale_; }

 private:
  double score(double scale) const;  // slope of the log likelihood

  LearnerConstants constants_;
  std::vector<Lifetime> sessions_;
  double scale_ = constants_.prior_scale.count();
};

/// Returns where the time of a session of that length goes when the learner chooses each interval.
/// The learner does not take the session. The share of kept work is kept / length.
struct LearnedSession {
  double kept = 0;
  double checkpoints = 0;
};
LearnedSession use_session(const IntervalLearner& learner, const CheckpointCosts& costs,
                           double length);

}  // namespace lapcast

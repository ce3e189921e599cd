#pragma once

#include <span>
#include <vector>

#include "core/seconds.h"
#include "spot/checkpoint_interval.h"
#include "spot/kind_belief.h"
#include "stats/survival.h"

namespace lapcast {

/// Describes lifetimes that have a Lomax distribution: exponential ones whose rates differ (Lomax
/// 1954). The hazard shape / (scale + age) falls while a machine lasts.
struct LomaxLifetimes {
  double shape = 1;
  double scale = 1;  // seconds
  double hazard(double age) const { return shape / (scale + age); }
  double survival(double age) const;
};

/// Returns 42 kinds of lifetimes: shapes of 1, 2 and 5, each with scales of 150 s times the shape
/// and 13 doublings of that.
std::vector<LomaxLifetimes> lifetime_grid();

/// Holds how likely each of some kinds of lifetimes is at a place that was not observed yet, and
/// how likely the kind changes from one session to the next.
struct LifetimePrior {
  std::vector<LomaxLifetimes> kinds;
  std::vector<double> weights;  // sum to 1
  double change = 0.02;
};

/// Returns the prior whose weights are learned_weights() of the sessions of some places, in
/// seconds, with the chance of a change, out of 0.005, 0.01, 0.02, 0.05 and 0.1, under which the
/// sessions are most likely. Each place has the same weight.
LifetimePrior learned_lifetimes(std::span<const std::vector<Lifetime>> places);
/// Returns the prior that `./bench checkpoint-interval` learned from all its traces.
const LifetimePrior& shipped_lifetimes();

/// Chooses the time to the next checkpoint while a job runs, from the sessions so far.
class IntervalLearner {
 public:
  /// The prior must outlive the learner.
  explicit IntervalLearner(const LifetimePrior& prior = shipped_lifetimes());
  /// Takes a session; one whose time is negative or not finite is left out.
  void add(const Lifetime& session);
  /// Returns the chance per second of an interruption at that age, given that the machine has
  /// lasted so long.
  double hazard(double age) const;
  /// Returns the time from now to the begin of the next checkpoint on a machine of that age:
  /// sqrt(2 * cost / hazard) with the hazard in the middle of the interval (Young 1974 with a
  /// hazard that depends on age). cost > 0, age >= 0.
  Seconds next_interval(Seconds checkpoint_cost, Seconds age) const;

 private:
  const LifetimePrior* prior_;
  KindBelief belief_;
};

/// Says in seconds where the time of a session goes when the learner chooses each interval.
struct LearnedSession {
  double kept = 0;
  double checkpoints = 0;
  double unsaved = 0;  // work since the last checkpoint, lost when the session was interrupted
};
/// Returns this for a session of that length. The learner does not take the session.
LearnedSession use_session(const IntervalLearner& learner, const CheckpointCosts& costs,
                           double length);

}  // namespace lapcast

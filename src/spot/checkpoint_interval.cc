#include "spot/checkpoint_interval.h"

#include <algorithm>
#include <cmath>

namespace lapcast {
namespace {

/// Holds the seconds of one session, or of an average one.
struct SessionTimes {
  double kept = 0;
  double checkpoints = 0;
  double restart = 0;
};

/// Returns what a session of `length` seconds is used for. A notice saves the work since the last
/// checkpoint if both are long enough for one more.
SessionTimes times_of(double length, const CheckpointCosts& costs, double interval) {
  const double cost = costs.checkpoint.count();
  SessionTimes times;
  times.restart = std::min(length, costs.restart.count());
  const double working = length - times.restart;
  double saves = std::floor(working / (interval + cost));
  times.kept = saves * interval;
  const double rest = working - saves * (interval + cost);
  if (cost <= costs.notice.count() && rest > cost) {
    times.kept += rest - cost;
    saves += 1;
  }
  times.checkpoints = saves * cost;
  return times;
}

void add(SessionTimes& sum, const SessionTimes& times, double weight) {
  sum.kept += weight * times.kept;
  sum.checkpoints += weight * times.checkpoints;
  sum.restart += weight * times.restart;
}

/// Adds the exponential tail, as its lifetimes in the middle of 2000 equally likely parts.
void add_tail_with_notice(SessionTimes& sum, const LifetimeDistribution& lifetimes,
                          const CheckpointCosts& costs, double interval) {
  constexpr int kParts = 2000;
  for (int i = 0; i < kParts; ++i) {
    const double length =
        lifetimes.tail_begin() - lifetimes.tail_mean() * std::log1p(-(i + 0.5) / kParts);
    add(sum, times_of(length, costs, interval), lifetimes.tail_share() / kParts);
  }
}

/// Adds the exponential tail exactly: the expected number of checkpoints is the sum of the chances
/// to reach each one, a geometric series.
void add_tail(SessionTimes& sum, const LifetimeDistribution& lifetimes,
              const CheckpointCosts& costs, double interval) {
  const double share = lifetimes.tail_share(), mean = lifetimes.tail_mean();
  const double restart = costs.restart.count(), begin = lifetimes.tail_begin();
  const double segment = interval + costs.checkpoint.count();
  const double working = begin - restart;
  const double saved = std::max(0.0, std::floor(working / segment));
  const double until_next = (saved + 1) * segment - working;
  const double saves = saved + std::exp(-until_next / mean) / -std::expm1(-segment / mean);
  double restarting = restart;
  if (begin < restart) restarting = begin - mean * std::expm1(-(restart - begin) / mean);
  sum.kept += share * saves * interval;
  sum.checkpoints += share * saves * costs.checkpoint.count();
  sum.restart += share * restarting;
}

bool is_time(Seconds time) {
  return time.count() >= 0 && std::isfinite(time.count());
}

}  // namespace

Seconds young_interval(Seconds checkpoint_cost, Seconds mean_lifetime) {
  return Seconds{std::sqrt(2 * checkpoint_cost.count() * mean_lifetime.count())};
}

Seconds daly_interval(Seconds checkpoint_cost, Seconds mean_lifetime) {
  const double ratio = checkpoint_cost / (2 * mean_lifetime);
  if (ratio >= 1) return mean_lifetime;
  return young_interval(checkpoint_cost, mean_lifetime) * (1 + std::sqrt(ratio) / 3 + ratio / 9) -
         checkpoint_cost;
}

LossShares expected_losses(const LifetimeDistribution& lifetimes, const CheckpointCosts& costs,
                           Seconds interval) {
  SessionTimes sum;
  double before = 0;
  for (const auto& atom : lifetimes.atoms()) {
    add(sum, times_of(atom.time, costs, interval.count()), atom.ended - before);
    before = atom.ended;
  }
  if (lifetimes.tail_share() > 0) {
    const bool notice = costs.checkpoint <= costs.notice;
    (notice ? add_tail_with_notice : add_tail)(sum, lifetimes, costs, interval.count());
  }
  const double mean = lifetimes.mean().count();
  LossShares losses{sum.checkpoints / mean, 0, sum.restart / mean};
  losses.lost_work = std::max(0.0, 1 - sum.kept / mean - losses.checkpoints - losses.restarts);
  return losses;
}

Result<CheckpointPlan> best_interval(const LifetimeDistribution& lifetimes,
                                     const CheckpointCosts& costs) {
  if (!is_time(costs.checkpoint) || !is_time(costs.restart) || !is_time(costs.notice))
    return because("a checkpoint's cost is negative or not finite");
  if (costs.checkpoint.count() == 0) return because("a checkpoint costs no time");
  constexpr int kGrid = 500;
  const double shortest = std::max(1.0, costs.checkpoint.count() / 10);
  const double one_in_thousand =
      lifetimes.tail_share() > 1e-3
          ? lifetimes.tail_begin() + lifetimes.tail_mean() * std::log(lifetimes.tail_share() / 1e-3)
          : lifetimes.tail_begin();
  const double ratio = std::max(1.0, one_in_thousand / shortest);
  CheckpointPlan best;
  for (int i = 0; i <= kGrid; ++i) {
    const Seconds interval{shortest * std::pow(ratio, static_cast<double>(i) / kGrid)};
    const LossShares losses = expected_losses(lifetimes, costs, interval);
    if (i == 0 || losses.sum() < best.losses.sum()) best = {interval, losses};
  }
  return best;
}

}  // namespace lapcast

#include "accuracy/interval_learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lapcast {
namespace {

double session_likelihood(const LomaxLifetimes& kind, const Lifetime& session) {
  return kind.survival(session.time) * (session.ended ? kind.hazard(session.time) : 1);
}

/// Returns the mean log likelihood of the observations of each sequence, added up.
double log_likelihood(std::span<const Likelihoods> sequences, const std::vector<double>& weights,
                      double change) {
  double sum = 0;
  for (const Likelihoods& sequence : sequences) {
    KindBelief belief(weights, change);
    for (const std::vector<double>& row : sequence)
      sum += std::log(belief.observe([&](std::size_t kind) { return row[kind]; })) /
             static_cast<double>(sequence.size());
  }
  return sum;
}

}  // namespace

double LomaxLifetimes::survival(double age) const {
  return std::pow(1 + age / scale, -shape);
}

std::vector<LomaxLifetimes> lifetime_grid() {
  std::vector<LomaxLifetimes> kinds;
  for (const double shape : {1.0, 2.0, 5.0})
    for (int doublings = 0; doublings <= 13; ++doublings)
      kinds.push_back({shape, std::ldexp(150 * shape, doublings)});
  return kinds;
}

LifetimePrior learned_lifetimes(std::span<const std::vector<Lifetime>> places) {
  const std::vector<LomaxLifetimes> kinds = lifetime_grid();
  std::vector<Likelihoods> sequences;
  for (const std::vector<Lifetime>& place : places) {
    Likelihoods& sequence = sequences.emplace_back();
    for (const Lifetime& session : place) {
      std::vector<double>& row = sequence.emplace_back();
      for (const LomaxLifetimes& kind : kinds) row.push_back(session_likelihood(kind, session));
    }
  }
  LifetimePrior best{kinds, {}, 0};
  double most = 0;
  for (const double change : {0.005, 0.01, 0.02, 0.05, 0.1}) {
    std::vector<double> weights = learned_weights(sequences, kinds.size(), change);
    const double likelihood = log_likelihood(sequences, weights, change);
    if (!best.weights.empty() && likelihood <= most) continue;
    most = likelihood;
    best.weights = std::move(weights);
    best.change = change;
  }
  return best;
}

const LifetimePrior& shipped_lifetimes() {
  static const LifetimePrior prior{
      lifetime_grid(),
      {0.0000, 0.0000, 0.0004, 0.0259, 0.1340, 0.1621, 0.0153, 0.0018, 0.0006, 0.0009, 0.0028,
       0.0077, 0.0149, 0.0219, 0.0000, 0.0000, 0.0002, 0.0275, 0.1779, 0.0724, 0.0079, 0.0101,
       0.0017, 0.0008, 0.0024, 0.0072, 0.0146, 0.0217, 0.0000, 0.0001, 0.0005, 0.0296, 0.1568,
       0.0207, 0.0020, 0.0064, 0.0050, 0.0008, 0.0022, 0.0069, 0.0144, 0.0216},
      0.02};
  return prior;
}

IntervalLearner::IntervalLearner(const LifetimePrior& prior)
    : prior_(&prior), belief_(prior.weights, prior.change) {}

void IntervalLearner::add(const Lifetime& session) {
  if (!(session.time >= 0 && std::isfinite(session.time))) return;
  belief_.observe(
      [&](std::size_t kind) { return session_likelihood(prior_->kinds[kind], session); });
}

double IntervalLearner::hazard(double age) const {
  double hazard = 0, lasting = 0;
  for (std::size_t i = 0; i < prior_->kinds.size(); ++i) {
    const double known = belief_.weights()[i], fresh = prior_->weights[i];
    const double weight =
        (known + prior_->change * (fresh - known)) * prior_->kinds[i].survival(age);
    lasting += weight;
    hazard += weight * prior_->kinds[i].hazard(age);
  }
  return lasting > 0 ? hazard / lasting : prior_->kinds.back().hazard(age);
}

Seconds IntervalLearner::next_interval(Seconds checkpoint_cost, Seconds age) const {
  constexpr double kLeastHazard = 1e-12;
  const auto interval = [&](double at) {
    return std::sqrt(2 * checkpoint_cost.count() / std::max(hazard(at), kLeastHazard));
  };
  return Seconds{interval(age.count() + interval(age.count()) / 2)};
}

LearnedSession use_session(const IntervalLearner& learner, const CheckpointCosts& costs,
                           double length) {
  LearnedSession session;
  const double cost = costs.checkpoint.count();
  double age = costs.restart.count();
  while (age < length) {
    const double interval = learner.next_interval(costs.checkpoint, Seconds{age}).count();
    const double left = length - age;
    age += interval + cost;
    if (age <= length) {
      session.kept += interval;
      session.checkpoints += cost;
    } else if (cost <= costs.notice.count() && left > cost) {
      session.kept += left - cost;
      session.checkpoints += cost;
    } else {
      session.unsaved = std::min(left, interval);
    }
  }
  return session;
}

}  // namespace lapcast

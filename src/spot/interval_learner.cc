#include "spot/interval_learner.h"

#include <algorithm>
#include <cmath>

namespace lapcast {

void IntervalLearner::add(const Lifetime& session) {
  constexpr std::size_t kMostSessions = 400;
  if (!(session.time >= 0 && std::isfinite(session.time))) return;
  if (sessions_.size() == kMostSessions) sessions_.erase(sessions_.begin());
  sessions_.push_back(session);
  double low = 10, high = 1e8;
  for (int i = 0; i < 40; ++i) {
    const double middle = std::sqrt(low * high);
    (score(middle) > 0 ? low : high) = middle;
  }
  scale_ = low;
}

double IntervalLearner::score(double scale) const {
  const double shape = constants_.shape;
  double slope = constants_.prior_weight *
                 (shape / scale - (1 + shape) / (scale + constants_.prior_scale.count() / shape));
  double weight = 1;
  for (auto session = sessions_.rbegin(); session != sessions_.rend(); ++session) {
    const double ends = session->ended ? 1 : 0;
    slope += weight * (shape / scale - (ends + shape) / (scale + session->time));
    weight *= constants_.memory;
  }
  return slope;
}

Seconds IntervalLearner::next_interval(Seconds checkpoint_cost, Seconds age) const {
  const auto interval = [&](double at) {
    return std::sqrt(2 * checkpoint_cost.count() * (scale_ + at) / constants_.shape);
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
    age += interval + cost;
    if (age <= length) {
      session.kept += interval;
      session.checkpoints += cost;
    } else if (cost <= costs.notice.count() && length - age + interval > 0) {
      session.kept += length - age + interval;
      session.checkpoints += cost;
    }
  }
  return session;
}

}  // namespace lapcast

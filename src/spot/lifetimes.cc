#include "spot/lifetimes.h"

#include <algorithm>
#include <cmath>

namespace lapcast {

Result<LifetimeDistribution> LifetimeDistribution::exponential(Seconds mean) {
  constexpr double kLongest = 1000 * 365.25 * 86400;
  if (!(mean.count() >= 1e-3 && mean.count() <= kLongest))
    return because("mean lifetime is not between 1 ms and 1000 years");
  LifetimeDistribution result;
  result.tail_mean_ = mean.count();
  result.finish();
  return result;
}

Result<LifetimeDistribution> LifetimeDistribution::of(std::span<const Lifetime> lifetimes) {
  double total = 0;
  std::size_t ends = 0;
  for (const Lifetime& lifetime : lifetimes) {
    if (!(lifetime.time >= 0 && std::isfinite(lifetime.time)))
      return because("a lifetime is negative or not finite");
    total += lifetime.time;
    ends += lifetime.ended ? 1 : 0;
  }
  if (!(total > 0 && std::isfinite(total))) return because("no lifetime was observed");
  LifetimeDistribution result;
  for (const SurvivalStep& step : lapcast::survival(lifetimes)) {
    result.atoms_.push_back({step.time, 1 - step.survival.mid});
    result.tail_share_ = step.survival.mid;
    result.tail_begin_ = step.time;
  }
  result.tail_mean_ = ends > 0 ? total / static_cast<double>(ends) : 2 * total;
  result.finish();
  return result;
}

void LifetimeDistribution::finish() {
  double before = 0;
  mean_ = 0;
  for (const Atom& atom : atoms_) {
    mean_ += atom.time * (atom.ended - before);
    before = atom.ended;
  }
  mean_ += tail_share_ * (tail_begin_ + tail_mean_);
  guide_.assign(atoms_.size() + 1, 0);
  std::size_t at = 0;
  for (std::size_t i = 0; i < guide_.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(guide_.size());
    while (at < atoms_.size() && atoms_[at].ended < share) ++at;
    guide_[i] = static_cast<std::uint32_t>(at);
  }
}

double LifetimeDistribution::survival(Seconds time) const {
  const double t = time.count();
  if (t >= tail_begin_) return tail_share_ * std::exp(-(t - tail_begin_) / tail_mean_);
  const auto later = std::upper_bound(atoms_.begin(), atoms_.end(), t,
                                      [](double at, const Atom& atom) { return at < atom.time; });
  return later == atoms_.begin() ? 1 : 1 - std::prev(later)->ended;
}

double LifetimeDistribution::draw(SeededNumbers& numbers) const {
  const double share = numbers.uniform();
  const double left = 1 - share;
  if (left <= tail_share_) return tail_begin_ - tail_mean_ * std::log(left / tail_share_);
  std::size_t at = guide_[static_cast<std::size_t>(share * static_cast<double>(guide_.size()))];
  while (at + 1 < atoms_.size() && atoms_[at].ended < share) ++at;
  return atoms_[at].time;
}

}  // namespace lapcast

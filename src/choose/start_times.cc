#include "choose/start_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stats/distributions.h"

namespace lapcast {
namespace {

/// Holds what the starts of one candidate say by themselves.
struct OwnStarts {
  double mean = 0;
  double weight = 0;
};

double deviation_of_start(StartKind kind) {
  if (kind == StartKind::warm) return kPriors.start_spread_warm;
  return kind == StartKind::cold ? kPriors.start_spread_cold : kPriors.start_spread_unknown;
}

/// Holds how candidates start in general: a mean with its variance, and the variance of a
/// candidate around it.
struct AllStarts {
  double mean = 0;
  double variance = 0;
  double between = 0;
};

AllStarts all_of(const std::vector<OwnStarts>& candidates) {
  double sum = 0, weight = 0, squares = 0;
  for (const OwnStarts& own : candidates) {
    sum += own.weight * own.mean;
    weight += own.weight;
    squares += own.weight * own.weight;
  }
  AllStarts all{.mean = sum / weight, .variance = 1 / weight};
  double q = 0;
  for (const OwnStarts& own : candidates) q += own.weight * std::pow(own.mean - all.mean, 2);
  const double scale = weight - squares / weight;
  if (scale > 0)
    all.between = std::max(0.0, (q - (static_cast<double>(candidates.size()) - 1)) / scale);
  return all;
}

/// Returns the candidate's mean drawn to that of all, with the sum of weights behind it.
OwnStarts drawn_to(const AllStarts& all, const OwnStarts& own) {
  if (all.between <= 0) return {all.mean, 1 / all.variance};
  const double of_all = 1 / (all.between + all.variance);
  const double weight = own.weight + of_all;
  return {(own.weight * own.mean + of_all * all.mean) / weight, weight};
}

}  // namespace

void StartTimes::add(const std::string& machine, const std::string& candidate,
                     const LapProfile& profile) {
  if (!(profile.init.count() > 0)) return;
  machines_[machine][candidate].push_back(
      {std::log(profile.init.count()), std::pow(deviation_of_start(profile.start), -2)});
}

std::optional<Interval<Seconds>> StartTimes::next_of(const std::string& machine,
                                                     const std::string& candidate) const {
  // The deviation that is assumed counts as much as that of so many starts.
  constexpr double kAssumedStarts = 4;
  const auto found = machines_.find(machine);
  if (found == machines_.end() || !found->second.contains(candidate)) return std::nullopt;
  std::vector<OwnStarts> own_starts;
  std::size_t its = 0;
  double count = 0;
  for (const auto& [name, starts] : found->second) {
    if (name == candidate) its = own_starts.size();
    OwnStarts& own = own_starts.emplace_back();
    for (const Start& start : starts) {
      own.weight += start.weight;
      own.mean += start.weight * start.log_seconds;
      ++count;
    }
    own.mean /= own.weight;
  }
  if (count < 2) return std::nullopt;
  const AllStarts all = all_of(own_starts);
  double squares = 0;
  std::size_t i = 0;
  for (const auto& [name, starts] : found->second) {
    const double mean = drawn_to(all, own_starts[i++]).mean;
    for (const Start& start : starts)
      squares += start.weight * std::pow(start.log_seconds - mean, 2);
  }
  const double scale = (kAssumedStarts + squares) / (kAssumedStarts + count - 1);
  const OwnStarts drawn = drawn_to(all, own_starts[its]);
  const double next = std::pow(kPriors.start_spread_warm, 2);  // the program has run there
  const double half = kZ95 * std::sqrt(scale * (next + 1 / drawn.weight));
  return Interval<Seconds>{Seconds{std::exp(drawn.mean - half)}, Seconds{std::exp(drawn.mean)},
                           Seconds{std::exp(drawn.mean + half)}};
}

}  // namespace lapcast

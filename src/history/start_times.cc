#include "history/start_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "stats/distributions.h"

namespace lapcast {
namespace {

// The time of a start that compiled says little about one that does not.
constexpr double kCompiledDeviation = 1;

/// Holds what starts of one candidate say by themselves.
struct OwnStarts {
  double mean = 0;
  double weight = 0;  // sum of 1 / variance
  std::vector<SeenStart> starts;
};

/// Returns the relative standard deviation that is assumed of the next start from this one.
double deviation_of_start(const SeenStart& start, bool next_is_cold) {
  if (start.compiled && !next_is_cold) return kCompiledDeviation;
  if (start.is_cold()) return kPriors.start_spread_cold;
  return start.kind == StartKind::warm ? kPriors.start_spread_warm : kPriors.start_spread_unknown;
}

double weight_of_start(const SeenStart& start, bool next_is_cold) {
  return std::pow(deviation_of_start(start, next_is_cold), -2);
}

/// Returns what the starts of that kind tell about the next one.
OwnStarts own_of(const std::vector<SeenStart>& starts, bool are_cold, bool next_is_cold) {
  OwnStarts own;
  for (const SeenStart& start : starts) {
    if (start.is_cold() != are_cold) continue;
    const double weight = weight_of_start(start, next_is_cold);
    own.weight += weight;
    own.mean += weight * start.log_seconds;
    own.starts.push_back(start);
  }
  if (own.weight > 0) own.mean /= own.weight;
  return own;
}

/// Returns whether the candidate compiled in each of several starts, so that caches do not help it.
bool compiles_always(const std::vector<SeenStart>& starts) {
  return starts.size() > 1 && std::ranges::all_of(starts, &SeenStart::compiled);
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

/// Holds the logarithm of the mean time of a candidate's starts, and its variance.
struct DrawnStart {
  double mean = 0;
  double variance = 0;
};

/// Returns the candidate's mean drawn to that of all.
DrawnStart drawn_to(const AllStarts& all, const OwnStarts& own) {
  if (all.between <= 0) return {all.mean, all.variance};
  const double of_all = 1 / (all.between + all.variance);
  const double weight = own.weight + of_all;
  return {(own.weight * own.mean + of_all * all.mean) / weight, 1 / weight};
}

/// Returns the factor by which the variances of starts differ from the assumed ones.
double scale_of(const std::vector<OwnStarts>& pool, const AllStarts& all, bool cold) {
  // The assumed deviation counts as much as that of this many starts.
  constexpr double kAssumedStarts = 4;
  double squares = 0, count = 0;
  for (const OwnStarts& own : pool)
    for (const SeenStart& start : own.starts) {
      squares +=
          weight_of_start(start, cold) * std::pow(start.log_seconds - drawn_to(all, own).mean, 2);
      ++count;
    }
  return (kAssumedStarts + squares) / (kAssumedStarts + count - 1);
}

}  // namespace

void StartTimes::add(const std::string& machine, const std::string& candidate,
                     const LapProfile& profile, CacheState caches) {
  if (!(profile.init.count() > 0)) return;
  machines_[machine][candidate].push_back(
      {std::log(profile.init.count()), profile.start, caches == CacheState::cold});
}

std::optional<Interval<Seconds>> StartTimes::next_of(const std::string& machine,
                                                     const std::string& candidate) const {
  const auto found = machines_.find(machine);
  if (found == machines_.end() || !found->second.contains(candidate)) return std::nullopt;
  const std::vector<SeenStart>& starts = found->second.at(candidate);
  const bool cold =
      compiles_always(starts) || std::ranges::all_of(found->second, [](const auto& each) {
        return std::ranges::all_of(each.second, &SeenStart::is_cold);
      });
  std::vector<OwnStarts> pool;
  std::size_t count = 0;
  for (const auto& [name, of_name] : found->second) {
    OwnStarts own = own_of(of_name, cold, cold);
    count += own.starts.size();
    if (!own.starts.empty()) pool.push_back(std::move(own));
  }
  AllStarts all = all_of(pool);
  OwnStarts its = own_of(starts, cold, cold);
  if (its.starts.empty()) {
    its = own_of(starts, true, cold);
    all.between = std::max(all.between, std::pow(kPriors.start_spread_unknown, 2));
  } else if (count < 2) {
    return std::nullopt;
  }
  const DrawnStart drawn = drawn_to(all, its);
  // A start is warm where the program has run.
  const double next = cold ? kPriors.start_spread_cold : kPriors.start_spread_warm;
  const double half = kZ95 * std::sqrt(scale_of(pool, all, cold) * (next * next + drawn.variance));
  return Interval<Seconds>{Seconds{std::exp(drawn.mean - half)}, Seconds{std::exp(drawn.mean)},
                           Seconds{std::exp(drawn.mean + half)}};
}

std::optional<Seconds> StartTimes::cold_of(const std::string& machine,
                                           const std::string& candidate) const {
  const auto found = machines_.find(machine);
  if (found == machines_.end() || !found->second.contains(candidate)) return std::nullopt;
  const OwnStarts own = own_of(found->second.at(candidate), true, true);
  return own.starts.empty() ? std::nullopt : std::optional(Seconds{std::exp(own.mean)});
}

}  // namespace lapcast

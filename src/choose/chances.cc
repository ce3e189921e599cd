#include "choose/chances.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <tuple>

namespace lapcast {
namespace {

struct Event {
  double value;
  std::uint32_t winner;
  std::uint32_t run;
};

/// A possible smallest value of all runs and its probability.
struct SmallestValue {
  double value;
  std::uint32_t winner;
  double probability;
};

std::vector<Event> sorted_events(std::span<const RunCases> runs) {
  std::vector<Event> events;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t k = 0; k < runs[r].best.size(); ++k) {
      events.push_back({runs[r].best[k], runs[r].winner[k], static_cast<std::uint32_t>(r)});
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.value, a.winner) < std::tie(b.value, b.winner);
  });
  return events;
}

/// The exact distribution of the smallest value, ascending: going up through the cases of all runs,
/// a case is the smallest when every other run's case is still to come.
std::vector<SmallestValue> smallest_of(std::span<const RunCases> runs) {
  std::vector<double> left;  // cases still to come, by run
  for (const RunCases& run : runs) left.push_back(static_cast<double>(run.best.size()));
  std::vector<SmallestValue> outcomes;
  double all_to_come = 1;  // product over runs of (cases still to come / cases)
  for (const Event& event : sorted_events(runs)) {
    outcomes.push_back({event.value, event.winner, all_to_come / left[event.run]});
    all_to_come *= (left[event.run] - 1) / left[event.run];
    left[event.run] -= 1;
    if (left[event.run] == 0) break;
  }
  return outcomes;
}

/// E[1 / min(g, M)] for a smallest value M of the other runs.
class InverseOfSmallest {
 public:
  explicit InverseOfSmallest(const std::vector<SmallestValue>& outcomes) {
    double below = 0;
    double inverse = 0;
    for (const SmallestValue& outcome : outcomes) {
      values_.push_back(outcome.value);
      below_.push_back(below += outcome.probability);
      inverse_.push_back(inverse += outcome.probability / outcome.value);
    }
  }

  double with(double g) const {
    const auto smaller = static_cast<std::size_t>(
        std::lower_bound(values_.begin(), values_.end(), g) - values_.begin());
    if (smaller == 0) return 1 / g;
    return inverse_[smaller - 1] + std::max(0.0, 1 - below_[smaller - 1]) / g;
  }

 private:
  std::vector<double> values_;
  std::vector<double> below_;    // probability of this value or a smaller one
  std::vector<double> inverse_;  // the part of E[1 / M] up to this value
};

constexpr double kZ975 = 1.959963984540054;  // the normal distribution's 97.5 % quantile

/// Normal quantiles in units of the interval's half width: -1 at 2.5 %, 1 at 97.5 %.
std::vector<double> unit_cases() {
  std::vector<double> units(kCases);
  for (std::size_t k = 0; k < kCases; ++k) {
    const double p = (static_cast<double>(k) + 0.5) / static_cast<double>(kCases);
    units[k] = std::numbers::sqrt2 * boost::math::erf_inv(2 * p - 1) / kZ975;
  }
  return units;
}

}  // namespace

std::vector<double> chances_of_best(std::span<const RunCases> runs, std::size_t contenders) {
  std::vector<double> chances(contenders);
  for (const SmallestValue& outcome : smallest_of(runs))
    chances[outcome.winner] += outcome.probability;
  return chances;
}

double expected_regret(std::span<const RunCases> runs, std::size_t own,
                       std::span<const double> pick) {
  std::vector<RunCases> others;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (r != own) others.push_back(runs[r]);
  }
  const InverseOfSmallest inverse(smallest_of(others));
  double sum = 0;
  for (std::size_t k = 0; k < pick.size(); ++k) {
    if (pick[k] > 0 && std::isfinite(pick[k])) sum += pick[k] * inverse.with(runs[own].best[k]) - 1;
  }
  return pick.empty() ? 0 : std::max(0.0, sum / static_cast<double>(pick.size()));
}

std::vector<double> time_cases(const Interval<Seconds>& time) {
  static const std::vector<double> units = unit_cases();
  const double low = time.low.count();
  const double mid = time.mid.count();
  const double high = time.high.count();
  std::vector<double> times(kCases);
  for (std::size_t k = 0; k < kCases; ++k) {
    const double u = units[k];
    if (low > 0) {
      times[k] = mid * std::exp(u < 0 ? u * std::log(mid / low) : u * std::log(high / mid));
    } else {
      times[k] = std::max(0.0, mid + (u < 0 ? u * (mid - low) : u * (high - mid)));
    }
  }
  return times;
}

}  // namespace lapcast

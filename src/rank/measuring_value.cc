#include "rank/measuring_value.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "forecast/time_cases.h"
#include "price/quote.h"
#include "rank/cost_curve.h"
#include "rank/odds.h"
#include "rank/probe_value.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostValued = 16;
constexpr double kLeastChance = 0.001;
constexpr std::uint64_t kCaseSeed = 46;

/// Returns the choices that may be the cheapest, the first one among them.
std::vector<const Choice*> likely_choices(const Ranking& ranking) {
  std::vector<const Choice*> likely;
  for (const Choice& choice : ranking.chosen)
    if (&choice == &ranking.chosen.front() || choice.p_cheapest >= kLeastChance)
      likely.push_back(&choice);
  std::ranges::stable_sort(likely.begin() + 1, likely.end(), std::greater{}, &Choice::p_cheapest);
  likely.resize(std::min(likely.size(), kMostValued));
  return likely;
}

/// Returns the places of the cases in an order of its own for each kind of luck.
std::vector<std::size_t> shuffled(SeededNumbers& random) {
  std::vector<std::size_t> places(kCases);
  std::iota(places.begin(), places.end(), std::size_t{0});
  for (std::size_t i = places.size() - 1; i > 0; --i)
    std::swap(places[i], places[static_cast<std::size_t>(random.uniform() * double(i + 1))]);
  return places;
}

ValueCases cases_of(const std::vector<const Choice*>& likely) {
  ValueCases cases{likely.size(), std::vector<double>(kCases * likely.size())};
  SeededNumbers random(kCaseSeed);
  std::map<LuckKey, std::vector<std::size_t>> orders;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    const Candidate& candidate = *likely[i]->candidate;
    std::vector<std::size_t>& order = orders[luck_of(*likely[i])];
    if (order.empty()) order = shuffled(random);
    const CostCurve curve(*likely[i]->offer, candidate.wait_s, candidate.demand);
    const std::vector<double> times = time_cases(candidate);
    for (std::size_t s = 0; s < kCases; ++s)
      cases.log_values[s * likely.size() + i] =
          std::log(std::max(curve.nano_dollars(times[order[s]]), 1.0));
  }
  return cases;
}

/// Returns what another probe of a choice finds in each case: as far off as all that is known now.
std::vector<double> found_again(const ValueCases& cases, std::size_t choice) {
  std::vector<double> found;
  for (std::size_t s = 0; s < cases.cases(); ++s) found.push_back(cases.at(s, choice));
  const double count = static_cast<double>(found.size());
  const double mean = std::accumulate(found.begin(), found.end(), 0.0) / count;
  double squares = 0;
  for (const double value : found) squares += (value - mean) * (value - mean);
  SeededNumbers random(kCaseSeed + 1 + choice);
  for (double& value : found) value += std::sqrt(squares / count) * random.normal();
  return found;
}

}  // namespace

std::vector<MeasuringValue> measuring_values(const Ranking& ranking) {
  if (ranking.by != Objective::cost || !ranking.is_priced || ranking.chosen.size() < 2) return {};
  if (ranking.method != Method::lapcast) return {};
  const std::vector<const Choice*> likely = likely_choices(ranking);
  if (std::ranges::any_of(likely, [](const Choice* choice) { return choice->spot != nullptr; }))
    return {};
  const ValueCases cases = cases_of(likely);
  const double now = mean_regret(cases, best_pick(cases));
  std::vector<MeasuringValue> values;
  for (std::size_t i = 0; i < likely.size(); ++i) {
    const auto rental = quote(*likely[i]->offer, Interval<Seconds>::exactly(kProbeRental));
    if (!rental) continue;
    const double after = regret_given(cases, found_again(cases, i));
    const Money worth = scaled(ranking.chosen.front().quote.total.mid, std::max(0.0, now - after));
    if (worth > rental->total.mid) values.push_back({likely[i], rental->total.mid, worth, after});
  }
  std::ranges::stable_sort(values, std::greater{}, &MeasuringValue::worth);
  return values;
}

}  // namespace lapcast

#include "rank/deadline_costs.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "forecast/time_cases.h"
#include "rank/odds.h"

namespace lapcast {
namespace {

/// Returns the time that one run exceeds with a probability of at most `risk`: of the training, or,
/// if interruptions were simulated, from the first machine to the result.
Seconds time_within(const Choice& choice, double risk) {
  std::vector<double> times =
      choice.spot ? choice.spot->cases.time_s : time_cases(*choice.candidate->time);
  const auto count = static_cast<double>(times.size());
  const double late = std::clamp(risk * count + 1e-9, 0.0, count - 1);
  const auto nth = times.begin() + static_cast<std::ptrdiff_t>(late);
  std::ranges::nth_element(times, nth, std::greater{});
  return Seconds{*nth};
}

/// Returns the value by which a ranking by energy or CO2 is ordered; 0 for other rankings.
double energy_of(const Choice& choice, Objective by) {
  if (by == Objective::energy) return choice.energy->kwh.mid;
  return by == Objective::co2 ? choice.energy->co2_g->mid : 0;
}

}  // namespace

std::vector<DeadlineCost> deadline_costs(const Ranking& ranking, std::optional<double> risk) {
  // Many offers for one candidate have the same times.
  std::map<std::pair<const Candidate*, const SpotTraining*>, Seconds> within;
  std::vector<DeadlineCost> all;
  const auto add = [&](const Choice& choice) {
    const Candidate& candidate = *choice.candidate;
    Seconds deadline = choice.quote.time.mid;
    if (risk) {
      const auto [known, is_new] = within.try_emplace({&candidate, choice.spot.get()});
      if (is_new) known->second = time_within(choice, *risk);
      deadline = choice.spot ? Seconds{candidate.wait_s} + known->second
                             : deadline + (known->second - candidate.time->mid);
    }
    all.push_back({&choice, deadline});
  };
  std::ranges::for_each(ranking.chosen, add);
  std::ranges::for_each(ranking.late, add);
  if (std::ranges::none_of(all, [](auto& each) { return each.choice->quote.total.high > Money{}; }))
    return {};
  // The values after the cost settle ties as in a ranking.
  std::ranges::stable_sort(all, {}, [&](const DeadlineCost& each) {
    const Choice& choice = *each.choice;
    return std::tuple(
        choice.offer->terms.index(), each.deadline, choice.quote.total.mid,
        energy_of(choice, ranking.by), choice.quote.time.mid,
        std::tie(choice.offer->name, choice.candidate->machine_type, choice.candidate->settings));
  });
  std::vector<DeadlineCost> steps;
  for (const DeadlineCost& each : all) {
    const auto terms = [](const DeadlineCost& of) { return of.choice->offer->terms.index(); };
    if (steps.empty() || terms(steps.back()) != terms(each) ||
        each.choice->quote.total.mid < steps.back().choice->quote.total.mid)
      steps.push_back(each);
  }
  return steps;
}

}  // namespace lapcast

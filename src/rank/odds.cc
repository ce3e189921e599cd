#include "rank/odds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "forecast/time_cases.h"
#include "rank/cost_curve.h"
#include "rank/spot_simulator.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

/// Holds the choices that can be best by one objective, in the order that settles ties, and the
/// cases of their runs.
struct Competition {
  std::vector<PossibleWinner> winners;
  std::vector<RunCases> runs;
  std::map<LuckKey, std::size_t> run_of_key;
};

/// Sorts into the order in which a ranking by that objective settles ties. The winners are given in
/// rank order, which settles the remaining ties.
void sort_for_ties(std::vector<PossibleWinner>& winners, Objective by) {
  if (by == Objective::score) return;
  std::ranges::stable_sort(winners, {}, [&](const PossibleWinner& winner) {
    const Quote& quote = winner.choice->quote;
    const auto cost = static_cast<double>(quote.total.mid.nanos());
    const double time = quote.time.mid.count();
    return by == Objective::cost ? std::pair(cost, time) : std::pair(time, cost);
  });
}

class Odds {
 public:
  explicit Odds(const std::vector<Choice>& chosen)
      : first_(&chosen.front()), winners_(possible_winners(chosen)) {}

  Competition competition(const Valuation& value) {
    Competition competition{.winners = with_a_chance(value)};
    sort_for_ties(competition.winners, value.by);
    for (std::size_t i = 0; i < competition.winners.size(); ++i) join(competition, value, i);
    return competition;
  }

  double regret_of_first(const Valuation& value, const Competition& competition) {
    return expected_regret(competition.runs, competition.run_of_key.at(luck_of(*first_)),
                           values(value, winners_.front()));
  }

 private:
  std::vector<double> values(const Valuation& value, const PossibleWinner& winner) {
    if (winner.choice->spot) return spot_values(value, winner, own_luck(*winner.choice));
    std::vector<double> values = times(winner);
    for (double& v : values) v = value(winner.curve, v);
    return values;
  }

  static std::vector<double> spot_values(const Valuation& value, const PossibleWinner& winner,
                                         const SpotCases& cases) {
    std::vector<double> values;
    for (std::size_t k = 0; k < cases.time_s.size(); ++k)
      values.push_back(
          value.of(winner.curve.nano_dollars_on_spot(cases.billed_s[k], cases.interruptions[k]),
                   winner.curve.wait_s + cases.time_s[k]));
    return values;
  }

  const SpotCases& own_luck(const Choice& choice) {
    const auto [entry, added] = luck_.try_emplace(&choice);
    if (added) entry->second = cases_of_own_luck(choice);
    return entry->second;
  }

  const std::vector<double>& times(const PossibleWinner& winner) {
    const Candidate* candidate = winner.choice->candidate.get();
    const auto [entry, added] = times_.try_emplace(candidate);
    if (added) entry->second = time_cases(*candidate);
    return entry->second;
  }

  /// Returns the smallest and the largest value of a choice. Values never fall with time. If
  /// interruptions were simulated, uses the simulated cases of the quote.
  std::pair<double, double> range_of(const Valuation& value, const PossibleWinner& winner) {
    if (const auto& spot = winner.choice->spot) {
      const auto [least, most] = std::ranges::minmax(spot_values(value, winner, spot->cases));
      return {least, most};
    }
    const auto [shortest, longest] = std::ranges::minmax(times(winner));
    return {value(winner.curve, shortest), value(winner.curve, longest)};
  }

  /// Returns the choices that can be best, without those whose smallest value is above the largest
  /// one of another. The first choice always stays.
  std::vector<PossibleWinner> with_a_chance(const Valuation& value) {
    double cutoff = std::numeric_limits<double>::infinity();
    std::vector<double> least;
    for (const PossibleWinner& winner : winners_) {
      const auto [smallest, largest] = range_of(value, winner);
      least.push_back(smallest);
      cutoff = std::min(cutoff, largest);
    }
    std::vector<PossibleWinner> kept;
    for (std::size_t i = 0; i < winners_.size(); ++i)
      if (winners_[i].choice == first_ || least[i] <= cutoff) kept.push_back(winners_[i]);
    return kept;
  }

  void join(Competition& competition, const Valuation& value, std::size_t index) {
    const PossibleWinner& winner = competition.winners[index];
    const auto [run, added] =
        competition.run_of_key.try_emplace(luck_of(*winner.choice), competition.runs.size());
    if (added) competition.runs.emplace_back();
    RunCases& cases = competition.runs[run->second];
    const std::vector<double> own = values(value, winner);
    cases.best.resize(kCases, std::numeric_limits<double>::infinity());
    cases.winner.resize(kCases, static_cast<std::uint32_t>(index));
    for (std::size_t k = 0; k < kCases; ++k) {
      if (own[k] >= cases.best[k]) continue;
      cases.best[k] = own[k];
      cases.winner[k] = static_cast<std::uint32_t>(index);
    }
  }

  const Choice* first_;
  std::vector<PossibleWinner> winners_;
  std::map<const Candidate*, std::vector<double>> times_;
  std::map<const Choice*, SpotCases> luck_;
};

void fill_in(std::vector<Choice>& chosen, const Competition& competition, double Choice::*member) {
  const std::vector<double> chances = chances_of_best(competition.runs, competition.winners.size());
  for (std::size_t i = 0; i < chances.size(); ++i)
    chosen[competition.winners[i].index].*member = chances[i];
}

struct CaseValue {
  double value;
  std::uint32_t winner;
  std::size_t run;
  double probability = 0;
};

/// Returns the exact distribution of the smallest value, ascending: going up through the cases of
/// all runs, a case is the smallest when every other run's case is still to come.
std::vector<CaseValue> smallest_of(std::span<const RunCases> runs) {
  std::vector<CaseValue> cases;
  std::vector<double> left;  // remaining cases, by run
  for (std::size_t r = 0; r < runs.size(); ++r) {
    left.push_back(static_cast<double>(runs[r].best.size()));
    for (std::size_t k = 0; k < runs[r].best.size(); ++k)
      cases.push_back({runs[r].best[k], runs[r].winner[k], r});
  }
  std::ranges::stable_sort(
      cases, {}, [](const CaseValue& each) { return std::pair(each.value, each.winner); });
  double all_to_come = 1;  // product over runs of (cases still to come / cases)
  for (std::size_t i = 0; i < cases.size(); ++i) {
    double& to_come = left[cases[i].run];
    cases[i].probability = all_to_come / to_come;
    all_to_come *= (to_come - 1) / to_come;
    if (--to_come == 0) cases.resize(i + 1);  // no value of this run remains
  }
  return cases;
}

/// Computes E[1 / min(g, M)], where M is the smallest value of the other runs.
class InverseOfSmallest {
 public:
  explicit InverseOfSmallest(const std::vector<CaseValue>& cases) {
    double below = 0;
    double inverse = 0;
    for (const CaseValue& each : cases) {
      values_.push_back(each.value);
      below_.push_back(below += each.probability);
      inverse_.push_back(inverse += each.probability / each.value);
    }
  }

  double with(double g) const {
    const auto smaller =
        static_cast<std::size_t>(std::ranges::lower_bound(values_, g) - values_.begin());
    if (smaller == 0) return 1 / g;
    return inverse_[smaller - 1] + std::max(0.0, 1 - below_[smaller - 1]) / g;
  }

 private:
  std::vector<double> values_;
  std::vector<double> below_;    // probability of this value or a smaller one
  std::vector<double> inverse_;  // the part of E[1 / M] up to this value
};

}  // namespace

LuckKey luck_of(const Choice& choice) {
  const Candidate& candidate = *choice.candidate;
  if (candidate.cases) return {true, candidate.machine, nullptr};
  return {false, candidate.run_id, candidate.run_id.empty() ? &candidate : nullptr};
}

double fill_in_odds(std::vector<Choice>& chosen, const Preferences& preferences) {
  if (chosen.empty()) return 0;
  double cost = std::numeric_limits<double>::infinity();
  double time = std::numeric_limits<double>::infinity();
  for (const Choice& choice : chosen) {
    cost = std::min(cost, static_cast<double>(choice.quote.total.mid.nanos()));
    time = std::min(time, choice.quote.time.mid.count());
  }
  Odds odds(chosen);
  double regret = 0;
  for (const Objective by : {Objective::cost, Objective::time, Objective::score}) {
    if (by == Objective::score && preferences.by != Objective::score) continue;
    const Valuation value{by, preferences.weight, cost, time};
    const Competition competition = odds.competition(value);
    if (by == Objective::cost) fill_in(chosen, competition, &Choice::p_cheapest);
    if (by == Objective::time) fill_in(chosen, competition, &Choice::p_fastest);
    if (by == preferences.by) regret = odds.regret_of_first(value, competition);
  }
  return regret;
}

std::vector<double> chances_of_best(std::span<const RunCases> runs, std::size_t choices) {
  std::vector<double> chances(choices);
  for (const CaseValue& smallest : smallest_of(runs))
    chances[smallest.winner] += smallest.probability;
  return chances;
}

double expected_regret(std::span<const RunCases> runs, std::size_t own,
                       std::span<const double> pick) {
  std::vector<RunCases> others(runs.begin(), runs.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(own));
  const InverseOfSmallest inverse(smallest_of(others));
  double sum = 0;
  for (std::size_t k = 0; k < pick.size(); ++k) {
    if (pick[k] > 0 && std::isfinite(pick[k])) sum += pick[k] * inverse.with(runs[own].best[k]) - 1;
  }
  return pick.empty() ? 0 : std::max(0.0, sum / static_cast<double>(pick.size()));
}

Result<Regret> regret_of(std::size_t pick, std::span<const std::optional<double>> real) {
  if (pick >= real.size() || !real[pick])
    return because("the picked candidate was not run to its end");
  Regret regret{.best = pick};
  for (std::size_t i = 0; i < real.size(); ++i) {
    regret.lower_bound = regret.lower_bound || !real[i];
    if (real[i] && *real[i] < *real[regret.best]) regret.best = i;
  }
  const double best = *real[regret.best];
  for (std::size_t i = 0; i < real.size(); ++i)
    if (i != regret.best && real[i] == best) regret.tied.push_back(i);
  const double lost = *real[pick] - best;
  if (lost > 0 && best <= 0) return because("the best candidate cost nothing");
  regret.relative = lost > 0 ? lost / best : 0;
  return regret;
}

Result<double> saving(Money baseline, Money cost) {
  if (baseline <= Money{}) return because("what it is compared with costs nothing");
  return (baseline - cost).dollars() / baseline.dollars();
}

}  // namespace lapcast

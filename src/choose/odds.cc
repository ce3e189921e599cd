#include "choose/odds.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "choose/chances.h"
#include "choose/cost_curve.h"

namespace lapcast {
namespace {

/// Identifies what is fast or slow together: the candidates of one run; a candidate without a run
/// is independent.
using RunKey = std::pair<std::string_view, const Candidate*>;

RunKey run_key(const Choice& choice) {
  const std::string_view run_id = choice.candidate->run_id;
  return {run_id, run_id.empty() ? choice.candidate.get() : nullptr};
}

/// The choices that can be best by one objective, in the order that settles ties, and the cases of
/// their runs.
struct Competition {
  std::vector<PossibleWinner> winners;
  std::vector<RunCases> runs;
  std::map<RunKey, std::size_t> run_of_key;
};

/// Sorts into the order in which a ranking by that objective settles ties. The winners come in
/// rank order, which settles the rest.
void sort_for_ties(std::vector<PossibleWinner>& winners, Objective by) {
  if (by == Objective::score) return;
  const auto key = [&](const PossibleWinner& winner) {
    const Quote& quote = winner.choice->quote;
    const auto cost = static_cast<double>(quote.total.mid.nanos());
    const double time = quote.time.mid.count();
    return by == Objective::cost ? std::pair(cost, time) : std::pair(time, cost);
  };
  std::stable_sort(
      winners.begin(), winners.end(),
      [&](const PossibleWinner& a, const PossibleWinner& b) { return key(a) < key(b); });
}

class Odds {
 public:
  explicit Odds(const std::vector<Choice>& chosen)
      : first_(&chosen.front()), winners_(possible_winners(chosen)) {}

  Competition competition(const Valuation& value) {
    Competition competition;
    competition.winners = with_a_chance(value);
    sort_for_ties(competition.winners, value.by());
    for (std::size_t i = 0; i < competition.winners.size(); ++i) join(competition, value, i);
    return competition;
  }

  double regret_of_first(const Valuation& value, const Competition& competition) {
    return expected_regret(competition.runs, competition.run_of_key.at(run_key(*first_)),
                           values(value, winners_.front()));
  }

 private:
  std::vector<double> values(const Valuation& value, const PossibleWinner& winner) {
    std::vector<double> values = times(winner);
    for (double& v : values) v = value(winner.curve, v);
    return values;
  }

  const std::vector<double>& times(const PossibleWinner& winner) {
    const Candidate* candidate = winner.choice->candidate.get();
    const auto [entry, added] = times_.try_emplace(candidate);
    if (added) entry->second = time_cases(*candidate->time);
    return entry->second;
  }

  /// Returns the choices that can be best: values never fall with time, so one that is worse at its
  /// shortest time than another at its longest is out. The first choice always stays.
  std::vector<PossibleWinner> with_a_chance(const Valuation& value) {
    double cutoff = std::numeric_limits<double>::infinity();
    for (const PossibleWinner& winner : winners_)
      cutoff = std::min(cutoff, value(winner.curve, times(winner).back()));
    std::vector<PossibleWinner> kept;
    for (const PossibleWinner& winner : winners_) {
      if (winner.choice == first_ || value(winner.curve, times(winner).front()) <= cutoff)
        kept.push_back(winner);
    }
    return kept;
  }

  void join(Competition& competition, const Valuation& value, std::size_t index) {
    const PossibleWinner& winner = competition.winners[index];
    const auto [run, added] =
        competition.run_of_key.try_emplace(run_key(*winner.choice), competition.runs.size());
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
};

Valuation valuation(const std::vector<Choice>& chosen, Objective by, double weight) {
  double cost = std::numeric_limits<double>::infinity();
  double time = std::numeric_limits<double>::infinity();
  for (const Choice& choice : chosen) {
    cost = std::min(cost, static_cast<double>(choice.quote.total.mid.nanos()));
    time = std::min(time, choice.quote.time.mid.count());
  }
  return {by, weight, cost, time};
}

void fill_in(std::vector<Choice>& chosen, const Competition& competition, double Choice::*member) {
  const std::vector<double> chances = chances_of_best(competition.runs, competition.winners.size());
  for (std::size_t i = 0; i < chances.size(); ++i)
    chosen[static_cast<std::size_t>(competition.winners[i].choice - chosen.data())].*member =
        chances[i];
}

}  // namespace

double fill_in_odds(std::vector<Choice>& chosen, const Preferences& preferences) {
  if (chosen.empty()) return 0;
  Odds odds(chosen);
  double regret = 0;
  for (const Objective by : {Objective::cost, Objective::time, Objective::score}) {
    if (by == Objective::score && preferences.by != Objective::score) continue;
    const Valuation value = valuation(chosen, by, preferences.weight);
    const Competition competition = odds.competition(value);
    if (by == Objective::cost) fill_in(chosen, competition, &Choice::p_cheapest);
    if (by == Objective::time) fill_in(chosen, competition, &Choice::p_fastest);
    if (by == preferences.by) regret = odds.regret_of_first(value, competition);
  }
  return regret;
}

}  // namespace lapcast

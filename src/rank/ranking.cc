#include "rank/ranking.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "rank/cost_curve.h"
#include "rank/odds.h"
#include "rank/pareto_front.h"
#include "rank/ranking_rows.h"

namespace lapcast {
namespace {

void fill_in_relative_columns(std::vector<Choice>& chosen, double weight) {
  double cost = std::numeric_limits<double>::infinity();
  double time = std::numeric_limits<double>::infinity();
  for (const Choice& choice : chosen) {
    cost = std::min(cost, choice.quote.total.mid.dollars());
    time = std::min(time, choice.quote.time.mid.count());
  }
  for (Choice& choice : chosen) {
    choice.relative_cost = relative(choice.quote.total.mid.dollars(), cost);
    choice.relative_time = relative(choice.quote.time.mid.count(), time);
    choice.score = score_of(weight, choice.relative_cost, choice.relative_time);
  }
}

/// Holds the sort key of a choice without names: small, because 100,000 are sorted.
struct SortKey {
  double primary;
  Money cost;
  Seconds time;
  std::size_t choice;
};

double primary_of(const Choice& choice, Objective by) {
  if (by == Objective::time) return choice.quote.time.mid.count();
  if (by == Objective::energy) return choice.energy->kwh.mid;
  if (by == Objective::co2) return choice.energy->co2_g->mid;
  return by == Objective::score ? choice.score : 0;
}

void order(std::vector<Choice>& chosen, Objective by) {
  std::vector<SortKey> keys;
  keys.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Quote& quote = chosen[i].quote;
    keys.push_back({primary_of(chosen[i], by), quote.total.mid, quote.time.mid, i});
  }
  const auto names = [&](const SortKey& key) {
    const Choice& choice = chosen[key.choice];
    return std::tie(choice.offer->name, choice.candidate->machine_type, choice.candidate->settings,
                    key.choice);
  };
  std::sort(keys.begin(), keys.end(), [&](const SortKey& a, const SortKey& b) {
    const auto left = std::tie(a.primary, a.cost, a.time);
    const auto right = std::tie(b.primary, b.cost, b.time);
    return left == right ? names(a) < names(b) : left < right;
  });
  std::vector<Choice> ordered;
  ordered.reserve(chosen.size());
  for (const SortKey& key : keys) ordered.push_back(std::move(chosen[key.choice]));
  chosen = std::move(ordered);
}

}  // namespace

Ranking rank(std::vector<Candidate> candidates, std::vector<Offer> offers,
             const Preferences& preferences) {
  if (!(preferences.weight >= 0 && preferences.weight <= 1))
    throw Error(ExitCode::usage, "the weight of cost in the score must be between 0 and 1");
  if (preferences.risk && !preferences.deadline)
    throw Error(ExitCode::usage, "--risk is that of missing a deadline: add --deadline TIME");
  if (preferences.risk && preferences.method != Method::lapcast)
    throw Error(ExitCode::usage, "--risk needs intervals, and only the method lapcast has them");
  RankingRows rows = rows_of(std::move(candidates), std::move(offers), preferences);
  Ranking ranking;
  ranking.chosen = std::move(rows.chosen);
  ranking.excluded = std::move(rows.excluded);
  ranking.late = std::move(rows.late);
  ranking.all_trainings = rows.all_trainings;
  ranking.spot_unknown = std::move(rows.spot_unknown);
  ranking.by = preferences.by;
  ranking.method = preferences.method;
  ranking.spot = preferences.spot;
  ranking.with_energy = preferences.with_energy || is_by_energy(preferences.by);
  ranking.is_priced = std::ranges::any_of(
      ranking.chosen, [](const Choice& choice) { return choice.quote.total.high > Money{}; });
  fill_in_relative_columns(ranking.chosen, preferences.weight);
  order(ranking.chosen, preferences.by);
  mark_pareto_front(ranking.chosen);
  mark_energy_front(ranking.chosen);
  ranking.expected_regret = fill_in_odds(ranking.chosen, preferences);
  ranking.crossovers = crossovers_of(ranking.chosen, std::move(rows.beyond_limits), preferences);
  return ranking;
}

}  // namespace lapcast

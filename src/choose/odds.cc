#include "choose/odds.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "choose/chances.h"
#include "choose/time_cases.h"

namespace lapcast {
namespace {

/// What shares its time: candidates of one run; a candidate without a run stands alone.
using RunKey = std::pair<std::string_view, std::size_t>;

RunKey run_key(const std::vector<Candidate>& candidates, std::size_t candidate) {
  const std::string_view run_id = candidates[candidate].run_id;
  return {run_id, run_id.empty() ? candidate : 0};
}

/// One way of valuing: the contenders that have a chance, in the order that settles ties, and the
/// cases of their runs.
struct Field {
  std::vector<Contender> contenders;
  std::vector<RunCases> runs;
  std::map<RunKey, std::size_t> run_of_key;
};

/// The order in which a ranking by that objective settles ties; contenders come in rank order,
/// which settles the rest.
void sort_for_ties(std::vector<Contender>& contenders, const std::vector<Choice>& chosen,
                   Objective by) {
  if (by == Objective::score) return;
  const auto key = [&](const Contender& contender) {
    const Quote& quote = chosen[contender.choice].quote;
    const auto cost = static_cast<double>(quote.total.mid.nanos());
    const double time = quote.time.mid.count();
    return by == Objective::cost ? std::pair(cost, time) : std::pair(time, cost);
  };
  std::stable_sort(contenders.begin(), contenders.end(),
                   [&](const Contender& a, const Contender& b) { return key(a) < key(b); });
}

class Odds {
 public:
  Odds(const std::vector<Choice>& chosen, const std::vector<Candidate>& candidates,
       const std::vector<Contender>& contenders)
      : chosen_(chosen), candidates_(candidates), contenders_(contenders) {}

  Field field(const Valuation& value) {
    Field field;
    field.contenders = with_a_chance(value);
    sort_for_ties(field.contenders, chosen_, value.by());
    for (std::size_t i = 0; i < field.contenders.size(); ++i) join(field, value, i);
    return field;
  }

  std::vector<double> values(const Valuation& value, const Contender& contender) {
    std::vector<double> values = times(contender);
    for (double& v : values) v = value(contender.curve, v);
    return values;
  }

 private:
  const std::vector<double>& times(const Contender& contender) {
    const std::size_t candidate = chosen_[contender.choice].candidate;
    const auto [known, added] = times_.try_emplace(candidate);
    if (added) known->second = time_cases(*candidates_[candidate].time);
    return known->second;
  }

  /// Values never fall with time, so whoever is worse at its shortest than another at its longest
  /// is out. The first choice always stays.
  std::vector<Contender> with_a_chance(const Valuation& value) {
    double cutoff = std::numeric_limits<double>::infinity();
    for (const Contender& contender : contenders_) {
      cutoff = std::min(cutoff, value(contender.curve, times(contender).back()));
    }
    std::vector<Contender> kept;
    for (const Contender& contender : contenders_) {
      const bool first = contender.choice == 0;
      if (first || value(contender.curve, times(contender).front()) <= cutoff) {
        kept.push_back(contender);
      }
    }
    return kept;
  }

  void join(Field& field, const Valuation& value, std::size_t index) {
    const Contender& contender = field.contenders[index];
    const RunKey key = run_key(candidates_, chosen_[contender.choice].candidate);
    const auto [run, added] = field.run_of_key.try_emplace(key, field.runs.size());
    if (added) field.runs.emplace_back();
    RunCases& cases = field.runs[run->second];
    const std::vector<double> own = values(value, contender);
    cases.best.resize(kCases, std::numeric_limits<double>::infinity());
    cases.winner.resize(kCases, static_cast<std::uint32_t>(index));
    for (std::size_t k = 0; k < kCases; ++k) {
      if (own[k] >= cases.best[k]) continue;
      cases.best[k] = own[k];
      cases.winner[k] = static_cast<std::uint32_t>(index);
    }
  }

  const std::vector<Choice>& chosen_;
  const std::vector<Candidate>& candidates_;
  const std::vector<Contender>& contenders_;
  std::map<std::size_t, std::vector<double>> times_;  // by candidate
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

void fill_in(std::vector<Choice>& chosen, const Field& field, double Choice::*member) {
  const std::vector<double> chances = chances_of_best(field.runs, field.contenders.size());
  for (std::size_t i = 0; i < chances.size(); ++i) {
    chosen[field.contenders[i].choice].*member = chances[i];
  }
}

}  // namespace

double fill_in_odds(std::vector<Choice>& chosen, const std::vector<Candidate>& candidates,
                    const std::vector<Contender>& contenders, const Preferences& preferences) {
  if (chosen.empty()) return 0;
  Odds odds(chosen, candidates, contenders);
  double regret = 0;
  for (const Objective by : {Objective::cost, Objective::time, Objective::score}) {
    if (by == Objective::score && preferences.by != Objective::score) continue;
    const Valuation value = valuation(chosen, by, preferences.weight);
    const Field field = odds.field(value);
    if (by == Objective::cost) fill_in(chosen, field, &Choice::p_cheapest);
    if (by == Objective::time) fill_in(chosen, field, &Choice::p_fastest);
    if (by != preferences.by) continue;
    const std::size_t run = field.run_of_key.at(run_key(candidates, chosen.front().candidate));
    regret = expected_regret(field.runs, run, odds.values(value, contenders.front()));
  }
  return regret;
}

}  // namespace lapcast

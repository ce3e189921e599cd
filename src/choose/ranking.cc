#include "choose/ranking.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "choose/contenders.h"
#include "choose/crossovers.h"
#include "choose/match.h"
#include "choose/odds.h"
#include "choose/pareto.h"
#include "core/units.h"

namespace lapcast {
namespace {

void check(const Preferences& preferences) {
  if (!(preferences.weight >= 0 && preferences.weight <= 1)) {
    throw Error(ExitCode::usage, "the weight of cost in the score must be between 0 and 1");
  }
}

bool is_time(const Interval<Seconds>& time) {
  return time.low.count() >= 0 && time.mid.count() > 0 && time.low <= time.mid &&
         time.mid <= time.high && std::isfinite(time.high.count());
}

std::optional<Reason> accuracy_problem(const Candidate& candidate, const Preferences& preferences) {
  if (!preferences.min_accuracy) return std::nullopt;
  if (!candidate.accuracy) {
    return Reason{
        fmt::format("accuracy not known, at least {:.4g} is wanted: no run to its end "
                    "with these settings",
                    *preferences.min_accuracy)};
  }
  if (*candidate.accuracy >= *preferences.min_accuracy) return std::nullopt;
  return Reason{
      fmt::format("accuracy {:.4g} is below {:.4g}", *candidate.accuracy, *preferences.min_accuracy)};
}

/// Why none of a candidate's offers can be chosen.
std::optional<Reason> problem_of(const Candidate& candidate, const Preferences& preferences) {
  if (!candidate.time) return candidate.time.error();
  if (!is_time(*candidate.time)) return Reason{"the forecast is no time above 0"};
  return accuracy_problem(candidate, preferences);
}

std::optional<Reason> limit_problem(const Quote& quote, const Preferences& preferences) {
  std::string text;
  if (preferences.deadline && quote.time.mid > *preferences.deadline) {
    text = fmt::format("{} is past the deadline of {}", format_duration(quote.time.mid),
                       format_duration(*preferences.deadline));
  }
  if (preferences.max_cost && quote.total.mid > *preferences.max_cost) {
    text += fmt::format("{}{} USD is above the limit of {} USD", text.empty() ? "" : "; ",
                        rounded_decimal(quote.total.mid), rounded_decimal(*preferences.max_cost));
  }
  if (text.empty()) return std::nullopt;
  return Reason{text};
}

Interval<Seconds> later(const Interval<Seconds>& time, Seconds by) {
  return {time.low + by, time.mid + by, time.high + by};
}

Result<Choice> choice_of(const Candidate& candidate, const Offer& offer, const Preferences& preferences) {
  Result<Quote> priced = quote(offer, *candidate.time);
  if (!priced) return tl::unexpected(std::move(priced.error()));
  Choice choice;
  choice.quote = *priced;
  choice.quote.time = later(choice.quote.time, Seconds{candidate.wait_s});
  choice.wait_s = candidate.wait_s;
  if (auto reason = limit_problem(choice.quote, preferences)) return tl::unexpected(std::move(*reason));
  return choice;
}

Reason no_offer(const Candidate& candidate) {
  return candidate.offer.empty()
             ? Reason{fmt::format("no price for machine type '{}'", candidate.machine_type)}
             : Reason{fmt::format("no offer named '{}', and none for such a machine type",
                                  candidate.offer)};
}

/// Deals out every pair, and what has no partner, to chosen and excluded.
class RankingBuilder {
 public:
  RankingBuilder(const std::vector<Candidate>& candidates, const std::vector<Offer>& offers,
         const Preferences& preferences)
      : candidates_(candidates), offers_(offers), preferences_(preferences) {}

  Ranking deal() {
    const Matches matches = match(candidates_, offers_);
    std::size_t pairs = 0;
    for (const auto& offers : matches.offers_of) pairs += offers.size();
    ranking_.chosen.reserve(pairs);
    for (std::size_t c = 0; c < candidates_.size(); ++c) deal(c, matches.offers_of[c]);
    for (const std::size_t o : matches.offers_without) {
      exclude(std::nullopt, o,
              {fmt::format("no candidate for machine type '{}'", offers_[o].machine_type)});
    }
    return std::move(ranking_);
  }

 private:
  void deal(std::size_t c, const std::vector<std::size_t>& offers) {
    const auto problem = problem_of(candidates_[c], preferences_);
    if (offers.empty()) exclude(c, std::nullopt, problem ? *problem : no_offer(candidates_[c]));
    for (const std::size_t o : offers) {
      if (problem) {
        exclude(c, o, *problem);
      } else {
        deal(c, o);
      }
    }
  }

  void deal(std::size_t c, std::size_t o) {
    Result<Choice> choice = choice_of(candidates_[c], offers_[o], preferences_);
    if (!choice) return exclude(c, o, choice.error());
    choice->candidate = c;
    choice->offer = o;
    ranking_.chosen.push_back(*choice);
  }

  void exclude(std::optional<std::size_t> c, std::optional<std::size_t> o, Reason reason) {
    ranking_.excluded.push_back({c, o, std::move(reason)});
  }

  const std::vector<Candidate>& candidates_;
  const std::vector<Offer>& offers_;
  const Preferences& preferences_;
  Ranking ranking_;
};

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

/// What decides the order of a choice before names do, small enough to be sorted by the 100,000.
struct SortKey {
  double primary;
  Money cost;
  Seconds time;
  std::size_t choice;
};

double primary_of(const Choice& choice, Objective by) {
  if (by == Objective::time) return choice.quote.time.mid.count();
  return by == Objective::score ? choice.score : 0;
}

void order(std::vector<Choice>& chosen, const std::vector<Candidate>& candidates,
           const std::vector<Offer>& offers, Objective by) {
  std::vector<SortKey> keys;
  keys.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Quote& quote = chosen[i].quote;
    keys.push_back({primary_of(chosen[i], by), quote.total.mid, quote.time.mid, i});
  }
  const auto names = [&](const SortKey& key) {
    const Choice& choice = chosen[key.choice];
    const Candidate& candidate = candidates[choice.candidate];
    return std::tie(offers[choice.offer].name, candidate.machine_type, candidate.settings,
                    key.choice);
  };
  std::sort(keys.begin(), keys.end(), [&](const SortKey& a, const SortKey& b) {
    const auto left = std::tie(a.primary, a.cost, a.time);
    const auto right = std::tie(b.primary, b.cost, b.time);
    return left == right ? names(a) < names(b) : left < right;
  });
  std::vector<Choice> ordered;
  ordered.reserve(chosen.size());
  for (const SortKey& key : keys) ordered.push_back(chosen[key.choice]);
  chosen = std::move(ordered);
}

}  // namespace

Ranking rank(const std::vector<Candidate>& candidates, const std::vector<Offer>& offers,
             const Preferences& preferences) {
  check(preferences);
  Ranking ranking = RankingBuilder(candidates, offers, preferences).deal();
  ranking.by = preferences.by;
  fill_in_relative_columns(ranking.chosen, preferences.weight);
  order(ranking.chosen, candidates, offers, preferences.by);
  mark_pareto_front(ranking.chosen);
  const std::vector<Contender> contenders = contenders_of(ranking.chosen, offers);
  ranking.expected_regret = fill_in_odds(ranking.chosen, candidates, contenders, preferences);
  ranking.crossovers = crossovers_of(ranking.chosen, candidates, contenders, preferences);
  return ranking;
}

}  // namespace lapcast

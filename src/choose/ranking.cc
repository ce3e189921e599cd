#include "choose/ranking.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "choose/cost_curve.h"
#include "choose/odds.h"
#include "choose/pareto_front.h"
#include "choose/spot_simulator.h"
#include "core/units.h"
#include "spot/spot_bill.h"

namespace lapcast {
namespace {

bool is_time(const Interval<Seconds>& time) {
  return time.low.count() >= 0 && time.mid.count() > 0 && time.low <= time.mid &&
         time.mid <= time.high && std::isfinite(time.high.count());
}

/// Returns why none of a candidate's offers can be chosen.
std::optional<Reason> problem_of(const Candidate& candidate, const Preferences& preferences) {
  if (!candidate.time) return candidate.time.error();
  if (!is_time(*candidate.time)) return Reason{"the forecast is not a time above 0"};
  const auto& accuracy = candidate.accuracy;
  const auto& wanted = preferences.min_accuracy;
  if (!wanted || (accuracy && *accuracy >= *wanted)) return std::nullopt;
  if (accuracy) return Reason{fmt::format("accuracy {:.4g} is below {:.4g}", *accuracy, *wanted)};
  return Reason{
      fmt::format("accuracy not known, at least {:.4g} is wanted: no run to its end "
                  "with these settings",
                  *wanted)};
}

/// Returns the probability that a choice misses the deadline: where the user limits it, and where
/// interruptions were simulated.
std::optional<double> chance_late(const Candidate& candidate, const Quote& quote,
                                  const SpotTraining* spot, const Preferences& preferences) {
  if (!preferences.deadline || !(preferences.risk || spot)) return std::nullopt;
  const std::vector<double> times = spot ? spot->cases.time_s : time_cases(candidate);
  const Seconds before = spot ? Seconds{candidate.wait_s} : quote.time.mid - candidate.time->mid;
  const Seconds left = *preferences.deadline - before;
  const auto late = std::ranges::count_if(times, [&](double time) { return time > left.count(); });
  return static_cast<double>(late) / static_cast<double>(times.size());
}

std::optional<Reason> limit_problem(const Quote& quote, std::optional<double> late,
                                    const Preferences& preferences) {
  std::string text;
  if (late && preferences.risk && *late > *preferences.risk)
    text = fmt::format("the chance to miss the deadline of {} is {}, above {}",
                       format_duration(*preferences.deadline), format_chance(*late),
                       format_share(*preferences.risk));
  if (!preferences.risk && preferences.deadline && quote.time.mid > *preferences.deadline)
    text = fmt::format("{} is past the deadline of {}", format_duration(quote.time.mid),
                       format_duration(*preferences.deadline));
  if (preferences.max_cost && quote.total.mid > *preferences.max_cost)
    text += fmt::format("{}{} is above the limit of {}", text.empty() ? "" : "; ",
                        dollar_text(quote.total.mid), dollar_text(*preferences.max_cost));
  if (text.empty()) return std::nullopt;
  return Reason{text};
}

/// Holds what a pair of a candidate and an offer costs, and the chance that it misses the deadline.
struct PricedPair {
  Quote quote;
  std::optional<double> late;
  std::shared_ptr<const SpotTraining> spot;
};

/// Returns why a pair cannot be ranked as wanted because of its energy, or nothing.
std::optional<Reason> energy_problem(const std::optional<TrainingEnergy>& energy,
                                     const Preferences& preferences) {
  const bool needs_co2 = preferences.by == Objective::co2 || preferences.max_co2_g;
  if (!energy && (needs_co2 || preferences.by == Objective::energy))
    return Reason{"its energy is not known: nothing was measured, and no table has its parts"};
  if (needs_co2 && !energy->co2_g)
    return Reason{"its CO2 is not known: no table has the region; --grid says grams per kWh"};
  if (preferences.max_co2_g && energy->co2_g->mid > *preferences.max_co2_g)
    return Reason{fmt::format("{:.4g} kg CO2e is above the limit of {:.4g} kg",
                              energy->co2_g->mid / 1000, *preferences.max_co2_g / 1000)};
  return std::nullopt;
}

Reason no_offer(const Candidate& candidate) {
  return candidate.offer.empty()
             ? Reason{fmt::format("no price for machine type '{}'", candidate.machine_type)}
             : Reason{fmt::format("no offer named '{}', and none for such a machine type",
                                  candidate.offer)};
}

/// Returns the names among the candidates' wanted offers that some offer has.
std::unordered_set<std::string_view> wanted_names(const std::vector<Candidate>& candidates,
                                                  const std::vector<Offer>& offers) {
  std::unordered_set<std::string_view> wanted;
  for (const Candidate& candidate : candidates)
    if (!candidate.offer.empty()) wanted.insert(candidate.offer);
  std::unordered_set<std::string_view> found;
  if (wanted.empty()) return found;
  for (const Offer& offer : offers)
    if (wanted.contains(offer.name)) found.insert(offer.name);
  return found;
}

/// Makes the rows of a ranking: every pair of a candidate and an offer for it, and what has no
/// partner.
class RowMaker {
 public:
  RowMaker(std::vector<Candidate> candidates, std::vector<Offer> offers,
           const Preferences& preferences)
      : inputs_(std::make_shared<const Inputs>(Inputs{std::move(candidates), std::move(offers)})),
        preferences_(preferences),
        estimator_(preferences.grams_per_kwh),
        spot_(preferences.spot) {}

  Ranking make() {
    match();
    std::size_t pairs = 0;
    for (const auto& offers : offers_of_) pairs += offers.size();
    ranking_.chosen.reserve(pairs);
    for (std::size_t i = 0; i < offers_of_.size(); ++i)
      add(shared(inputs_->candidates[i]), offers_of_[i]);
    for (const Offer* offer : offers_without_)
      exclude(nullptr, shared(*offer),
              {fmt::format("no candidate for machine type '{}'", offer->machine_type)});
    return std::move(ranking_);
  }

  /// Returns the choices that make() excluded only because of the deadline, its risk or the largest
  /// cost.
  std::vector<Choice> beyond_limits() && { return std::move(beyond_limits_); }

 private:
  struct Inputs {
    std::vector<Candidate> candidates;
    std::vector<Offer> offers;
  };
  using CandidatesByKey = std::unordered_map<std::string_view, std::vector<std::size_t>>;

  /// Returns a reference to a part of the inputs that keeps all of them alive.
  template <class T>
  std::shared_ptr<const T> shared(const T& part) const {
    return {inputs_, &part};
  }

  void match() {
    const auto names = wanted_names(inputs_->candidates, inputs_->offers);
    CandidatesByKey by_name;
    CandidatesByKey by_type;
    for (std::size_t i = 0; i < inputs_->candidates.size(); ++i) {
      const Candidate& candidate = inputs_->candidates[i];
      const std::string_view wanted =
          candidate.offer.empty() ? candidate.machine_type : candidate.offer;
      const bool is_name = !candidate.offer.empty() && names.contains(wanted);
      (is_name ? by_name : by_type)[wanted].push_back(i);
    }
    offers_of_.resize(inputs_->candidates.size());
    for (const Offer& offer : inputs_->offers) {
      const bool named = add_pairs(by_name, offer.name, offer);
      const bool typed = add_pairs(by_type, offer.machine_type, offer);
      if (!named && !typed) offers_without_.push_back(&offer);
    }
  }

  bool add_pairs(const CandidatesByKey& wanting, std::string_view key, const Offer& offer) {
    const auto found = wanting.find(key);
    if (found == wanting.end()) return false;
    for (const std::size_t candidate : found->second) offers_of_[candidate].push_back(&offer);
    return true;
  }

  void add(const std::shared_ptr<const Candidate>& candidate,
           const std::vector<const Offer*>& offers) {
    if (offers.empty())
      exclude(candidate, nullptr,
              problem_of(*candidate, preferences_).value_or(no_offer(*candidate)));
    for (const Offer* offer : offers) {
      auto priced = priced_pair(*candidate, *offer);
      if (priced)
        add_pair(candidate, *offer, *std::move(priced));
      else
        exclude(candidate, shared(*offer), std::move(priced.error()));
    }
  }

  /// Returns a choice of a pair, whose energy is not known yet.
  Choice choice_of(const std::shared_ptr<const Candidate>& candidate, const Offer& offer,
                   PricedPair pair) const {
    Choice choice;
    choice.candidate = candidate;
    choice.offer = shared(offer);
    choice.quote = std::move(pair.quote);
    choice.p_late = pair.late;
    choice.spot = std::move(pair.spot);
    return choice;
  }

  /// Returns the quote of a candidate under an offer, its wait included, or why the pair is
  /// excluded.
  Result<PricedPair> priced_pair(const Candidate& candidate, const Offer& offer) {
    if (auto problem = problem_of(candidate, preferences_))
      return tl::unexpected(*std::move(problem));
    auto spot = spot_training(candidate, offer);
    if (!spot) return tl::unexpected(std::move(spot.error()));
    Result<Quote> priced = *spot ? spot_bill(offer, (*spot)->forecast, candidate.demand)
                                 : quote(offer, *candidate.time, candidate.demand);
    if (!priced) return tl::unexpected(std::move(priced.error()));
    for (Seconds* bound : {&priced->time.low, &priced->time.mid, &priced->time.high})
      *bound += Seconds{candidate.wait_s};
    const std::optional<double> late = chance_late(candidate, *priced, spot->get(), preferences_);
    return PricedPair{*std::move(priced), late, *std::move(spot)};
  }

  /// Returns null for machines that stay, and for spot machines of which too little is known.
  Result<std::shared_ptr<const SpotTraining>> spot_training(const Candidate& candidate,
                                                            const Offer& offer) {
    if (!std::holds_alternative<Spot>(offer.terms)) return nullptr;
    auto missing = spot_.what_is_missing(candidate, offer);
    if (!missing) return spot_.training(candidate, offer);
    const auto is_known = [&](const Reason& known) { return known.text == missing->text; };
    if (std::ranges::none_of(ranking_.spot_unknown, is_known))
      ranking_.spot_unknown.push_back(*std::move(missing));
    return nullptr;
  }

  void add_pair(const std::shared_ptr<const Candidate>& candidate, const Offer& offer,
                PricedPair pair) {
    if (auto problem = limit_problem(pair.quote, pair.late, preferences_)) {
      exclude(candidate, shared(offer), *std::move(problem));
      if (!pair.spot) beyond_limits_.push_back(choice_of(candidate, offer, std::move(pair)));
      return;
    }
    const Interval<Seconds>& used = pair.spot ? pair.spot->forecast.billed : *candidate->time;
    auto energy = estimator_.energy_of(candidate->power, used, offer);
    if (auto problem = energy_problem(energy, preferences_)) {
      exclude(candidate, shared(offer), *std::move(problem));
      return;
    }
    Choice& choice = ranking_.chosen.emplace_back(choice_of(candidate, offer, std::move(pair)));
    if (energy) choice.energy = std::make_shared<const TrainingEnergy>(*std::move(energy));
  }

  void exclude(std::shared_ptr<const Candidate> candidate, std::shared_ptr<const Offer> offer,
               Reason reason) {
    ranking_.excluded.push_back({std::move(candidate), std::move(offer), std::move(reason)});
  }

  std::shared_ptr<const Inputs> inputs_;
  const Preferences& preferences_;
  EnergyEstimator estimator_;
  SpotSimulator spot_;
  std::vector<std::vector<const Offer*>> offers_of_;  // by candidate, in the order given
  std::vector<const Offer*> offers_without_;          // offers that no candidate matches
  Ranking ranking_;
  std::vector<Choice> beyond_limits_;
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

/// Holds what decides the order of a choice before names do: small, because 100,000 are sorted.
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

std::vector<Choice> choices_of(std::vector<Candidate> candidates, std::vector<Offer> offers,
                               const Preferences& preferences) {
  return RowMaker(std::move(candidates), std::move(offers), preferences).make().chosen;
}

Ranking rank(std::vector<Candidate> candidates, std::vector<Offer> offers,
             const Preferences& preferences) {
  if (!(preferences.weight >= 0 && preferences.weight <= 1))
    throw Error(ExitCode::usage, "the weight of cost in the score must be between 0 and 1");
  if (preferences.risk && !preferences.deadline)
    throw Error(ExitCode::usage, "--risk is that of missing a deadline: add --deadline TIME");
  if (preferences.risk && preferences.method != Method::lapcast)
    throw Error(ExitCode::usage, "--risk needs intervals, and only the method lapcast has them");
  RowMaker rows(std::move(candidates), std::move(offers), preferences);
  Ranking ranking = rows.make();
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
  ranking.crossovers = crossovers_of(ranking.chosen, std::move(rows).beyond_limits(), preferences);
  return ranking;
}

}  // namespace lapcast

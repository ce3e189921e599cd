#include "rank/ranking_rows.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "core/units.h"
#include "forecast/time_cases.h"
#include "rank/odds.h"
#include "rank/spot_simulator.h"
#include "spot/spot_bill.h"

namespace lapcast {
namespace {

bool is_time(const Interval<Seconds>& time) {
  return time.low.count() >= 0 && time.mid.count() > 0 && time.low <= time.mid &&
         time.mid <= time.high && std::isfinite(time.high.count());
}

/// Returns why a candidate's training cannot be ranked.
std::optional<Reason> time_problem(const Candidate& candidate) {
  if (!candidate.time) return candidate.time.error();
  if (!is_time(*candidate.time)) return Reason{"the forecast is not a time above 0"};
  return std::nullopt;
}

std::optional<Reason> accuracy_problem(const Candidate& candidate, const Preferences& preferences) {
  const auto& accuracy = candidate.accuracy;
  const auto& wanted = preferences.min_accuracy;
  if (!wanted || (accuracy && *accuracy >= *wanted)) return std::nullopt;
  if (accuracy) return Reason{fmt::format("accuracy {:.4g} is below {:.4g}", *accuracy, *wanted)};
  return Reason{
      fmt::format("accuracy not known, at least {:.4g} is wanted: no run to its end "
                  "with these settings",
                  *wanted)};
}

/// Returns the probability that one run of a choice misses the deadline, if the user limits it or
/// interruptions were simulated.
std::optional<double> chance_late(const Candidate& candidate, const Quote& quote,
                                  const SpotTraining* spot, const Preferences& preferences) {
  if (!preferences.deadline || !(preferences.risk || spot)) return std::nullopt;
  const std::vector<double> times = spot ? spot->cases.time_s : time_cases(*candidate.time);
  const Seconds before = spot ? Seconds{candidate.wait_s} : quote.time.mid - candidate.time->mid;
  const Seconds left = *preferences.deadline - before;
  const auto late = std::ranges::count_if(times, [&](double time) { return time > left.count(); });
  return static_cast<double>(late) / static_cast<double>(times.size());
}

/// Returns why a pair misses the deadline.
std::optional<std::string> deadline_problem(const Quote& quote, std::optional<double> late,
                                            const Preferences& preferences) {
  if (late && preferences.risk && *late > *preferences.risk)
    return fmt::format("the chance to miss the deadline of {} is {}, above {}",
                       format_duration(*preferences.deadline), format_chance(*late),
                       format_share(*preferences.risk));
  if (!preferences.risk && preferences.deadline && quote.time.mid > *preferences.deadline)
    return fmt::format("{} is past the deadline of {}", format_duration(quote.time.mid),
                       format_duration(*preferences.deadline));
  return std::nullopt;
}

std::optional<std::string> cost_problem(const Quote& quote, const Preferences& preferences) {
  if (!preferences.max_cost || quote.total.mid <= *preferences.max_cost) return std::nullopt;
  return fmt::format("{} is above the limit of {}", dollar_text(quote.total.mid),
                     dollar_text(*preferences.max_cost));
}

/// Holds the cost of a candidate under an offer, and the chance that it misses the deadline.
struct PricedPair {
  Quote quote;
  std::optional<double> late;
  std::shared_ptr<const SpotTraining> spot;
  Money cost() const { return quote.total.mid; }
};

/// Returns why a pair cannot be ranked as requested because of its energy, or nullopt.
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

/// Returns the names of the offers wanted by candidates that exist.
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

/// Makes the rows of a ranking: every pair of a candidate and an offer for it, and everything
/// without a partner.
class RowMaker {
 public:
  RowMaker(std::vector<Candidate> candidates, std::vector<Offer> offers,
           const Preferences& preferences)
      : inputs_(std::make_shared<const Inputs>(Inputs{std::move(candidates), std::move(offers)})),
        preferences_(preferences),
        estimator_(preferences.grams_per_kwh),
        spot_(preferences.spot) {}

  RankingRows make() {
    match();
    std::size_t pairs = 0;
    for (const auto& offers : offers_of_) pairs += offers.size();
    rows_.chosen.reserve(pairs);
    for (std::size_t i = 0; i < offers_of_.size(); ++i)
      add(shared(inputs_->candidates[i]), offers_of_[i]);
    for (const Offer* offer : offers_without_)
      exclude(nullptr, shared(*offer),
              {fmt::format("no candidate for machine type '{}'", offer->machine_type)});
    return std::move(rows_);
  }

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
    const std::optional<Reason> no_time = time_problem(*candidate);
    const auto problem = no_time ? no_time : accuracy_problem(*candidate, preferences_);
    if (offers.empty()) exclude(candidate, nullptr, problem.value_or(no_offer(*candidate)));
    std::optional<Money> cheapest;
    for (const Offer* offer : offers) {
      if (!problem) note_what_is_missing(*candidate, *offer);
      auto priced = no_time ? tl::unexpected(*no_time) : priced_pair(*candidate, *offer);
      if (priced) cheapest = std::min(cheapest.value_or(priced->cost()), priced->cost());
      if (problem)
        exclude(candidate, shared(*offer), *problem);
      else if (priced)
        add_pair(candidate, *offer, *std::move(priced));
      else
        exclude(candidate, shared(*offer), std::move(priced.error()));
    }
    if (cheapest) rows_.all_trainings.add(*cheapest);
  }

  /// Returns a choice for a pair, whose energy is not known yet.
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

  /// Returns the quote of a candidate under an offer, including its wait, or why the pair is
  /// excluded.
  Result<PricedPair> priced_pair(const Candidate& candidate, const Offer& offer) {
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

  /// Returns null for uninterrupted machines, and for spot machines with too little data.
  Result<std::shared_ptr<const SpotTraining>> spot_training(const Candidate& candidate,
                                                            const Offer& offer) {
    if (!std::holds_alternative<Spot>(offer.terms)) return nullptr;
    if (spot_.what_is_missing(candidate, offer)) return nullptr;
    return spot_.training(candidate, offer);
  }

  void note_what_is_missing(const Candidate& candidate, const Offer& offer) {
    if (!std::holds_alternative<Spot>(offer.terms)) return;
    auto missing = spot_.what_is_missing(candidate, offer);
    const auto is_it = [&](const Reason& known) { return known.text == missing->text; };
    if (missing && std::ranges::none_of(rows_.spot_unknown, is_it))
      rows_.spot_unknown.push_back(*std::move(missing));
  }

  void add_pair(const std::shared_ptr<const Candidate>& candidate, const Offer& offer,
                PricedPair pair) {
    const auto late = deadline_problem(pair.quote, pair.late, preferences_);
    const auto dear = cost_problem(pair.quote, preferences_);
    if (dear) {
      exclude(candidate, shared(offer), {late ? *late + "; " + *dear : *dear});
      if (!pair.spot) rows_.beyond_limits.push_back(choice_of(candidate, offer, std::move(pair)));
      return;
    }
    const Interval<Seconds>& used = pair.spot ? pair.spot->forecast.billed : *candidate->time;
    auto energy = estimator_.energy_of(candidate->power, used, offer);
    const auto unfit = energy_problem(energy, preferences_);
    if (late || unfit) exclude(candidate, shared(offer), late ? Reason{*late} : *unfit);
    if (!late && unfit) return;
    Choice choice = choice_of(candidate, offer, std::move(pair));
    if (late && !choice.spot) rows_.beyond_limits.push_back(choice);
    if (unfit) return;
    if (energy) choice.energy = std::make_shared<const TrainingEnergy>(*std::move(energy));
    (late ? rows_.late : rows_.chosen).push_back(std::move(choice));
  }

  void exclude(std::shared_ptr<const Candidate> candidate, std::shared_ptr<const Offer> offer,
               Reason reason) {
    rows_.excluded.push_back({std::move(candidate), std::move(offer), std::move(reason)});
  }

  std::shared_ptr<const Inputs> inputs_;
  const Preferences& preferences_;
  EnergyEstimator estimator_;
  SpotSimulator spot_;
  std::vector<std::vector<const Offer*>> offers_of_;  // by candidate, in the order given
  std::vector<const Offer*> offers_without_;          // offers that no candidate matches
  RankingRows rows_;
};

}  // namespace

RankingRows rows_of(std::vector<Candidate> candidates, std::vector<Offer> offers,
                    const Preferences& preferences) {
  return RowMaker(std::move(candidates), std::move(offers), preferences).make();
}

}  // namespace lapcast

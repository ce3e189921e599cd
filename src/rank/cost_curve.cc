#include "rank/cost_curve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace lapcast {
namespace {

constexpr double kTimesThePlan = 10;
constexpr double kMaxPoints = 4096;
constexpr double kMinPoints = 64;
constexpr double kMaxEvaluations = 2e6;  // points times possible winners
constexpr double kMaxForecasts = 5e4;    // points times candidates

/// Returns whether a choice can be valued at other numbers of epochs.
bool has_epochs(const Choice& choice) {
  return !choice.spot && choice.candidate->epochs > 0 && choice.candidate->time_by_epochs;
}

/// Finds where the first choice of a ranking changes with the number of epochs.
class CrossoverSearch {
 public:
  CrossoverSearch(const std::vector<Choice>& chosen, const std::vector<Choice>& beyond_limits,
                  const Preferences& preferences)
      : preferences_(preferences), plan_(chosen.front().candidate->epochs) {
    add_lines(possible_winners(chosen));
    add_lines(possible_winners(beyond_limits));
    std::ranges::stable_sort(lines_, {}, [](const Line& line) {
      const Choice& choice = *line.winner.choice;
      return std::tie(choice.offer->name, choice.candidate->machine_type,
                      choice.candidate->settings);
    });
    values_.resize(lines_.size());
  }

  std::vector<Crossover> run() {
    std::vector<Crossover> crossovers;
    double before = 1;
    std::optional<std::size_t> winner = winner_at(before);
    while (before < last()) {
      const double next = next_point(before);
      const bool changes = winner_at(next) != winner;
      before = changes ? first_change(before, next, winner) : next;
      if (!changes) continue;
      const std::optional<std::size_t> after = winner_at(before);
      crossovers.push_back(
          {before, candidate_of(winner), candidate_of(after), offer_of(winner), offer_of(after)});
      winner = after;
    }
    return crossovers;
  }

 private:
  /// Holds a possible winner and the index of its candidate.
  struct Line {
    PossibleWinner winner;
    std::size_t candidate;
  };
  struct Value {
    double cost;  // in nano-dollars
    double time;
    bool is_within_limits;
  };

  void add_lines(const std::vector<PossibleWinner>& winners) {
    for (const PossibleWinner& winner : winners) {
      if (!has_epochs(*winner.choice)) continue;
      const Candidate* candidate = winner.choice->candidate.get();
      const auto [entry, is_new] = indices_.try_emplace(candidate, candidates_.size());
      if (is_new) candidates_.push_back(candidate);
      lines_.push_back({winner, entry->second});
    }
  }

  double last() const { return std::max(1.0, std::floor(kTimesThePlan * plan_)); }

  /// Returns the next number to try; the planned number is one of them.
  double next_point(double epochs) const {
    const double points =
        std::clamp(std::min(kMaxEvaluations / static_cast<double>(lines_.size()),
                            kMaxForecasts / static_cast<double>(candidates_.size())),
                   kMinPoints, kMaxPoints);
    double next = epochs + 1;
    if (last() > points) next = std::max(next, std::ceil(epochs * std::pow(last(), 1 / points)));
    return std::min(next, epochs < plan_ ? plan_ : last());
  }

  std::shared_ptr<const Candidate> candidate_of(std::optional<std::size_t> line) const {
    return line ? lines_[*line].winner.choice->candidate : nullptr;
  }
  std::shared_ptr<const Offer> offer_of(std::optional<std::size_t> line) const {
    return line ? lines_[*line].winner.choice->offer : nullptr;
  }

  void value_at(double epochs) {
    std::vector<double> training_s;
    for (const Candidate* candidate : candidates_)
      training_s.push_back(candidate->time_by_epochs(epochs * candidate->epochs / plan_).count());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const double seconds = training_s[lines_[i].candidate];
      const CostCurve& curve = lines_[i].winner.curve;
      Value& value = values_[i];
      value = {curve.nano_dollars(seconds), curve.seconds(seconds), std::isfinite(seconds)};
      if (preferences_.deadline && value.time > preferences_.deadline->count())
        value.is_within_limits = false;
      if (preferences_.max_cost && value.cost > static_cast<double>(preferences_.max_cost->nanos()))
        value.is_within_limits = false;
    }
  }

  Valuation valuation() const {
    double cost = std::numeric_limits<double>::infinity();
    double time = std::numeric_limits<double>::infinity();
    for (const Value& value : values_) {
      if (!value.is_within_limits) continue;
      cost = std::min(cost, value.cost);
      time = std::min(time, value.time);
    }
    return {preferences_.by, preferences_.weight, cost, time};
  }

  /// Returns the line that a ranking has first; nullopt if none is within the limits.
  std::optional<std::size_t> winner_at(double epochs) {
    value_at(epochs);
    const Valuation valuation = this->valuation();
    using Key = std::tuple<double, double, double>;
    std::optional<std::size_t> winner;
    Key least;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Value& value = values_[i];
      if (!value.is_within_limits) continue;
      const Key key{valuation.of(value.cost, value.time), value.cost, value.time};
      if (winner && key >= least) continue;
      winner = i;
      least = key;
    }
    return winner;
  }

  /// Returns the smallest whole number in (from, to] with another winner, found by bisection.
  double first_change(double from, double to, std::optional<std::size_t> winner) {
    while (to - from > 1) {
      const double middle = std::floor((from + to) / 2);
      (winner_at(middle) == winner ? from : to) = middle;
    }
    return to;
  }

  const Preferences& preferences_;
  double plan_;
  std::vector<Line> lines_;  // in the order that settles ties
  std::vector<const Candidate*> candidates_;
  std::map<const Candidate*, std::size_t> indices_;
  std::vector<Value> values_;  // of the lines, at the number of epochs being tried
};

}  // namespace

std::vector<PossibleWinner> possible_winners(const std::vector<Choice>& chosen) {
  // Choices with the same key have the same order of costs at every training time.
  constexpr std::size_t kOfOwnLuck = 4;
  using Kind = std::tuple<const Candidate*, const SpotTraining*, std::int64_t, std::int64_t,
                          std::int64_t, Money, Money, double>;
  std::map<Kind, std::size_t> found;
  std::vector<PossibleWinner> winners;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Choice& choice = chosen[i];
    const Offer& offer = *choice.offer;
    std::size_t& count =
        found[{choice.candidate.get(), choice.spot.get(), offer.billing.step_ns,
               offer.billing.minimum_ns, boot_time_ns(offer, choice.candidate->demand.before),
               offer.other.snapshots_per_gb_month, offer.other.egress_per_gb, offer.other.tax}];
    if (++count <= (choice.spot ? kOfOwnLuck : 1))
      winners.push_back(
          {&choice, i, CostCurve(offer, choice.candidate->wait_s, choice.candidate->demand)});
  }
  return winners;
}

double relative(double value, double smallest) {
  if (smallest > 0) return value / smallest;
  return value > 0 ? std::numeric_limits<double>::infinity() : 1;
}

double score_of(double weight, double relative_cost, double relative_time) {
  return (weight > 0 ? weight * relative_cost : 0) +
         (weight < 1 ? (1 - weight) * relative_time : 0);
}

double Valuation::of(double nano_dollars, double seconds) const {
  if (by == Objective::cost) return nano_dollars;
  if (by == Objective::time) return seconds;
  return score_of(weight, relative(nano_dollars, smallest_cost), relative(seconds, smallest_time));
}

std::vector<Crossover> crossovers_of(const std::vector<Choice>& chosen,
                                     std::vector<Choice> beyond_limits,
                                     const Preferences& preferences) {
  if (chosen.empty() || is_by_energy(preferences.by) || !has_epochs(chosen.front())) return {};
  if (preferences.risk || preferences.max_co2_g) return {};
  const auto is_spot = [](const Choice& choice) { return choice.spot != nullptr; };
  if (preferences.by == Objective::score && std::ranges::any_of(chosen, is_spot)) return {};
  std::ranges::stable_sort(beyond_limits, {},
                           [](const Choice& choice) { return choice.quote.total.mid; });
  return CrossoverSearch(chosen, beyond_limits, preferences).run();
}

}  // namespace lapcast

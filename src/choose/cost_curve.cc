#include "choose/cost_curve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <tuple>

namespace lapcast {
namespace {

constexpr double kTimesThePlan = 10;
constexpr double kMaxPoints = 4096;
constexpr double kMinPoints = 64;
constexpr double kMaxEvaluations = 2e6;  // points times possible winners

/// Gives the training time of a possible winner by the first choice's epochs.
struct Line {
  PossibleWinner winner;
  double fixed_s;
  double slope_s;
  double training_s(double epochs) const { return fixed_s + slope_s * epochs; }
};

bool has_epochs(const Choice& choice) {
  const Candidate& candidate = *choice.candidate;
  return !choice.spot && candidate.epochs > 0 && candidate.per_epoch_s > 0 &&
         candidate.fixed_s >= 0;
}

class CrossoverSearch {
 public:
  CrossoverSearch(const std::vector<Choice>& chosen, const Preferences& preferences)
      : preferences_(preferences), plan_(chosen.front().candidate->epochs) {
    for (const PossibleWinner& winner : possible_winners(chosen))
      if (has_epochs(*winner.choice)) {
        const Candidate& candidate = *winner.choice->candidate;
        lines_.push_back(
            {winner, candidate.fixed_s, candidate.per_epoch_s * candidate.epochs / plan_});
      }
  }

  std::vector<Crossover> run() const {
    std::vector<Crossover> crossovers;
    double before = 1;
    std::size_t winner = winner_at(before, 0);
    while (before < last()) {
      const double next = next_point(before);
      const bool changes = winner_at(next, winner) != winner;
      before = changes ? first_change(before, next, winner) : next;
      if (!changes) continue;
      const std::size_t after = winner_at(before, winner);
      crossovers.push_back({before, candidate_of(winner), candidate_of(after)});
      winner = after;
    }
    return crossovers;
  }

 private:
  double last() const { return std::max(1.0, std::floor(kTimesThePlan * plan_)); }

  double next_point(double epochs) const {
    const double points =
        std::clamp(kMaxEvaluations / static_cast<double>(lines_.size()), kMinPoints, kMaxPoints);
    if (last() <= points) return epochs + 1;
    return std::min(last(), std::max(epochs + 1, std::ceil(epochs * std::pow(last(), 1 / points))));
  }

  const std::shared_ptr<const Candidate>& candidate_of(std::size_t line) const {
    return lines_[line].winner.choice->candidate;
  }

  Valuation valuation_at(double epochs) const {
    double cost = std::numeric_limits<double>::infinity();
    double time = std::numeric_limits<double>::infinity();
    if (preferences_.by == Objective::score) {
      for (const Line& line : lines_) {
        const double training_s = line.training_s(epochs);
        cost = std::min(cost, line.winner.curve.nano_dollars(training_s));
        time = std::min(time, line.winner.curve.seconds(training_s));
      }
    }
    return {preferences_.by, preferences_.weight, cost, time};
  }

  /// Returns the line that wins: in a tie the incumbent, or else the first in rank order.
  std::size_t winner_at(double epochs, std::size_t incumbent) const {
    const Valuation value = valuation_at(epochs);
    const auto value_of = [&](std::size_t line) {
      return value(lines_[line].winner.curve, lines_[line].training_s(epochs));
    };
    std::size_t winner = incumbent;
    double smallest = value_of(incumbent);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const double v = value_of(i);
      if (v >= smallest) continue;
      smallest = v;
      winner = i;
    }
    return winner;
  }

  /// Returns the smallest whole number in (from, to] at which the winner is another one, found by
  /// bisection.
  double first_change(double from, double to, std::size_t winner) const {
    while (to - from > 1) {
      const double middle = std::floor((from + to) / 2);
      (winner_at(middle, winner) == winner ? from : to) = middle;
    }
    return to;
  }

  Preferences preferences_;
  double plan_;
  std::vector<Line> lines_;
};

std::optional<EpochCell> cell_of(const Candidate& candidate, const Offer& offer, double epochs) {
  const Seconds training{candidate.fixed_s + candidate.per_epoch_s * epochs};
  const auto bill = quote(offer, Interval<Seconds>::exactly(training), candidate.demand);
  if (!bill) return std::nullopt;
  return EpochCell{bill->time.mid, bill->total.mid};
}

void fill_in_relative(std::vector<EpochRow>& rows, std::size_t column) {
  double time = std::numeric_limits<double>::infinity();
  double cost = std::numeric_limits<double>::infinity();
  for (const EpochRow& row : rows) {
    if (!row.cells[column]) continue;
    time = std::min(time, row.cells[column]->time.count());
    cost = std::min(cost, row.cells[column]->cost.dollars());
  }
  for (EpochRow& row : rows) {
    if (!row.cells[column]) continue;
    EpochCell& cell = *row.cells[column];
    cell.relative_time = relative(cell.time.count(), time);
    cell.relative_cost = relative(cell.cost.dollars(), cost);
  }
}

}  // namespace

std::vector<PossibleWinner> possible_winners(const std::vector<Choice>& chosen) {
  // Choices that agree in these keep the order of their costs at every training time.
  constexpr std::size_t kOfOwnLuck = 4;
  using Kind = std::tuple<const Candidate*, const SpotTraining*, std::int64_t, std::int64_t,
                          std::int64_t, Money, Money, double>;
  std::map<Kind, std::size_t> found;
  std::vector<PossibleWinner> winners;
  for (const Choice& choice : chosen) {
    const Offer& offer = *choice.offer;
    std::size_t& count =
        found[{choice.candidate.get(), choice.spot.get(), offer.billing.step_ns,
               offer.billing.minimum_ns, offer.boot_ns, offer.other.snapshots_per_gb_month,
               offer.other.egress_per_gb, offer.other.tax}];
    if (++count <= (choice.spot ? kOfOwnLuck : 1))
      winners.push_back(
          {&choice, CostCurve(offer, choice.candidate->wait_s, choice.candidate->demand)});
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
                                     const Preferences& preferences) {
  if (chosen.empty() || is_by_energy(preferences.by) || !has_epochs(chosen.front())) return {};
  return CrossoverSearch(chosen, preferences).run();
}

std::vector<EpochRow> tabulate(std::span<const Choice> choices, std::span<const double> epochs) {
  for (const double e : epochs)
    if (!(e > 0 && std::isfinite(e))) throw Error(ExitCode::usage, "epochs must be above 0");
  std::vector<EpochRow> rows;
  for (const Choice& choice : choices) {
    if (choice.spot || !(choice.candidate->per_epoch_s > 0)) continue;
    EpochRow& row = rows.emplace_back(EpochRow{choice.candidate, choice.offer, {}});
    for (const double e : epochs) row.cells.push_back(cell_of(*row.candidate, *row.offer, e));
  }
  for (std::size_t column = 0; column < epochs.size(); ++column) fill_in_relative(rows, column);
  return rows;
}

}  // namespace lapcast

#include "choose/crossovers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "choose/cost_curve.h"

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

bool has_epochs(const Candidate& candidate) {
  return candidate.epochs > 0 && candidate.per_epoch_s > 0 && candidate.fixed_s >= 0;
}

class CrossoverSearch {
 public:
  CrossoverSearch(const std::vector<Choice>& chosen, const Preferences& preferences)
      : preferences_(preferences), plan_(chosen.front().candidate->epochs) {
    for (const PossibleWinner& winner : possible_winners(chosen)) {
      const Candidate& candidate = *winner.choice->candidate;
      if (!has_epochs(candidate)) continue;
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
      if (winner_at(next, winner) != winner) {
        const double change = first_change(before, next, winner);
        const std::size_t after = winner_at(change, winner);
        crossovers.push_back({change, candidate_of(winner), candidate_of(after)});
        winner = after;
        before = change;
      } else {
        before = next;
      }
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

}  // namespace

std::vector<Crossover> crossovers_of(const std::vector<Choice>& chosen,
                                     const Preferences& preferences) {
  if (chosen.empty() || !has_epochs(*chosen.front().candidate)) return {};
  return CrossoverSearch(chosen, preferences).run();
}

}  // namespace lapcast

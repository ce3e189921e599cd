#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "choose/ranking.h"
#include "price/offer.h"

namespace lapcast {

/// Gives cost and time to the result under one offer for any training time. It works in floating
/// point, for probabilities and crossovers over many times; a bill that is shown comes from
/// quote(). Neither value falls when the training gets longer.
struct CostCurve {
  /// The wait comes before the machine can be had and is not billed.
  explicit CostCurve(const Offer& offer, double wait_s = 0)
      : nanos_per_hour(static_cast<double>(offer.price.per_hour.nanos())),
        step_ns(static_cast<double>(offer.billing.step_ns)),
        minimum_ns(static_cast<double>(offer.billing.minimum_ns)),
        boot_ns(static_cast<double>(offer.boot_ns)),
        wait_s(wait_s) {}

  /// Returns the cost in whole nano-dollars, so that bills that are equal stay equal.
  double nano_dollars(double training_s) const {
    double billed = boot_ns + std::nearbyint(training_s * 1e9);
    if (step_ns > 0) billed = std::ceil(billed / step_ns) * step_ns;
    return std::nearbyint(std::max(billed, minimum_ns) * nanos_per_hour / 3.6e12);
  }
  double seconds(double training_s) const { return wait_s + boot_ns * 1e-9 + training_s; }

  double nanos_per_hour;
  double step_ns;
  double minimum_ns;
  double boot_ns;
  double wait_s;
};

/// A choice that may turn out to be the best, with its curve.
struct PossibleWinner {
  const Choice* choice;
  CostCurve curve;
};

/// Returns the choices that may turn out best, in rank order: of choices with the same candidate,
/// billing and boot time only the first one can. The first choice is always among them. The result
/// is valid as long as chosen is.
std::vector<PossibleWinner> possible_winners(const std::vector<Choice>& chosen);

/// Values a training time under an offer by an objective; smaller is better. Scores are relative
/// to the smallest cost (nano-dollars) and time (seconds) given.
class Valuation {
 public:
  Valuation(Objective by, double weight, double smallest_cost, double smallest_time)
      : by_(by), weight_(weight), smallest_cost_(smallest_cost), smallest_time_(smallest_time) {}

  double operator()(const CostCurve& curve, double training_s) const;
  Objective by() const { return by_; }

 private:
  Objective by_;
  double weight_;
  double smallest_cost_;
  double smallest_time_;
};

/// Returns value / smallest; 1 where both are 0.
double relative(double value, double smallest);

/// Returns weight * relative cost + (1 - weight) * relative time; a part without weight does not
/// count, even where it is infinite.
double score_of(double weight, double relative_cost, double relative_time);

}  // namespace lapcast

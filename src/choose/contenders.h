#pragma once

#include <cstddef>
#include <vector>

#include "choose/cost_curve.h"
#include "choose/ranking.h"

namespace lapcast {

/// A choice that may turn out best: of those with the same candidate, billing and boot time only
/// the first in rank order (the cheapest) can.
struct Contender {
  std::size_t choice = 0;  // index into Ranking::chosen
  CostCurve curve;
};

/// In the order of chosen, which is in rank order; chosen.front() is always one.
std::vector<Contender> contenders_of(const std::vector<Choice>& chosen,
                                     const std::vector<Offer>& offers);

/// What a wish makes of a training time under an offer: the value to be small. Scores are taken
/// relative to the smallest cost (nano-dollars) and time (seconds) given.
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

/// value / smallest [M]; 1 where both are 0.
double relative(double value, double smallest);

/// weight * relative cost + (1 - weight) * relative time; a part without weight does not count.
double score_of(double weight, double relative_cost, double relative_time);

}  // namespace lapcast

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "price/offer.h"
#include "rank/choice.h"
#include "rank/preferences.h"

namespace lapcast {

/// Gives the cost and the time to the result under one offer for any training time. It works in
/// floating point, for probabilities and crossovers over many times; a bill that is shown comes
/// from quote(). Neither value falls when the training gets longer.
struct CostCurve {
  /// Takes the prices and the billing of an offer. The wait comes before the boot and is not
  /// billed; what is before the training comes after it and is.
  explicit CostCurve(const Offer& offer, double wait_s = 0, const Demand& demand = {})
      : nanos_per_hour(static_cast<double>(offer.price.per_hour.nanos())),
        step_ns(static_cast<double>(offer.billing.step_ns)),
        minimum_ns(static_cast<double>(offer.billing.minimum_ns)),
        before_ns(
            static_cast<double>(offer.boot_ns) +
            std::nearbyint((demand.before.preparation + demand.before.data_in).count() * 1e9)),
        wait_s(wait_s) {
    if (offer.other == OtherPrices{}) return;
    constexpr std::int64_t kHourNs = 3'600'000'000'000;
    OtherPrices untaxed_prices = offer.other;
    untaxed_prices.tax = 0;
    const auto untaxed = [&](std::int64_t billed_ns) {
      return static_cast<double>(with_other_prices({}, untaxed_prices, demand, billed_ns).nanos());
    };
    other_nanos = untaxed(0);
    other_nanos_per_hour = untaxed(kHourNs) - other_nanos;
    tax = offer.other.tax;
  }

  /// Returns the cost in whole nano-dollars, so that bills that are equal stay equal.
  double nano_dollars(double training_s) const {
    double billed = before_ns + std::nearbyint(training_s * 1e9);
    if (step_ns > 0) billed = std::ceil(billed / step_ns) * step_ns;
    return nano_dollars_billed(std::max(billed, minimum_ns));
  }
  /// Returns the cost of so much use of spot machines, each billed for itself as spot_bill() says.
  double nano_dollars_on_spot(double used_s, double interruptions) const {
    double billed = std::nearbyint(used_s * 1e9);
    if (interruptions > 0)
      billed += step_ns / 2 * (1 + interruptions);
    else if (step_ns > 0)
      billed = std::ceil(billed / step_ns) * step_ns;
    return nano_dollars_billed(std::max(billed, minimum_ns));
  }
  /// Returns the cost of so many billed nanoseconds.
  double nano_dollars_billed(double billed) const {
    const double cost = std::nearbyint(billed * nanos_per_hour / 3.6e12) +
                        std::nearbyint(billed * other_nanos_per_hour / 3.6e12) + other_nanos;
    return cost + std::nearbyint(cost * tax);
  }
  /// Returns the time to the result: boot, what is before the training, the training, and the wait.
  double seconds(double training_s) const { return before_ns * 1e-9 + training_s + wait_s; }

  double nanos_per_hour;
  double step_ns;
  double minimum_ns;
  double before_ns;  // billed time before the training
  double wait_s;
  double other_nanos = 0;           // of snapshots and egress
  double other_nanos_per_hour = 0;  // of licence and storage
  double tax = 0;                   // share of all of it
};

/// Holds a choice that may turn out to be the best, with its curve.
struct PossibleWinner {
  const Choice* choice;
  std::size_t index;  // of the choice in `chosen`
  CostCurve curve;
};

/// Returns the choices that may turn out best, in rank order: of choices with the same candidate,
/// billing and boot time only the first one can. Where interruptions were simulated, the first four
/// of them can, because each has luck of its own. The first choice is always among them. The result
/// points into `chosen`.
std::vector<PossibleWinner> possible_winners(const std::vector<Choice>& chosen);

/// Values a training time under an offer by an objective; smaller is better. The value is a cost in
/// nano-dollars, a time in seconds, or score_of() both, relative to the smallest ones.
struct Valuation {
  Objective by;
  double weight;         // of cost in the score; used for Objective::score only, as the next two
  double smallest_cost;  // in nano-dollars
  double smallest_time;  // in seconds
  double operator()(const CostCurve& curve, double training_s) const {
    return by == Objective::time ? curve.seconds(training_s)
                                 : of(curve.nano_dollars(training_s), curve.seconds(training_s));
  }
  double of(double nano_dollars, double seconds) const;
};

/// Returns value / smallest; where smallest is 0, 1 for a value of 0 and else infinity.
double relative(double value, double smallest);

/// Returns weight * relative cost + (1 - weight) * relative time; a part without weight does not
/// count, even where it is infinite.
double score_of(double weight, double relative_cost, double relative_time);

/// Returns where the first choice by the preferences changes when all trainings get longer or
/// shorter in proportion, counted in epochs of the first choice, ascending: for each number of
/// epochs rank() orders the same way, by Candidate::time_by_epochs and within the same limits.
/// `chosen` is in rank order; `beyond_limits` has the choices that miss the deadline or the largest
/// cost only for the epochs that were asked for. It tries every whole number from 1 to 10 times the
/// first choice's plan; of a long plan, or many candidates, as many as some hundred milliseconds
/// allow, which are closer together at the lower end, where winners change more often. Choices
/// whose time by epochs is not known take no part, nor do those whose interruptions were simulated.
/// The result is empty when the first choice takes no part, where interruptions change the scores
/// of all, for a ranking by energy or CO2, and for limits on the risk or on CO2.
std::vector<Crossover> crossovers_of(const std::vector<Choice>& chosen,
                                     std::vector<Choice> beyond_limits,
                                     const Preferences& preferences);

}  // namespace lapcast

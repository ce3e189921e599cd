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

/// Computes the cost and the time to the result under one offer for any training time. It works in
/// floating point, for probabilities and crossovers over many times; displayed bills come from
/// quote(). Neither value decreases when the training gets longer.
struct CostCurve {
  /// Takes the prices and the billing of an offer. The wait comes before the boot and is not
  /// billed; the steps before the training come after it and are.
  explicit CostCurve(const Offer& offer, double wait_s = 0, const Demand& demand = {})
      : nanos_per_hour(static_cast<double>(offer.price.per_hour.nanos())),
        step_ns(static_cast<double>(offer.billing.step_ns)),
        minimum_ns(static_cast<double>(offer.billing.minimum_ns)),
        before_ns(
            static_cast<double>(boot_time_ns(offer, demand.before)) +
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

  /// Returns the cost in whole nano-dollars, so that equal bills stay equal.
  double nano_dollars(double training_s) const {
    double billed = before_ns + std::nearbyint(training_s * 1e9);
    if (step_ns > 0) billed = std::ceil(billed / step_ns) * step_ns;
    return nano_dollars_billed(std::max(billed, minimum_ns));
  }
  /// Returns the cost of this use of spot machines, each billed separately as in spot_bill().
  double nano_dollars_on_spot(double used_s, double interruptions) const {
    double billed = std::nearbyint(used_s * 1e9);
    if (interruptions > 0)
      billed += step_ns / 2 * (1 + interruptions);
    else if (step_ns > 0)
      billed = std::ceil(billed / step_ns) * step_ns;
    return nano_dollars_billed(std::max(billed, minimum_ns));
  }
  /// Returns the cost of this many billed nanoseconds.
  double nano_dollars_billed(double billed) const {
    const double cost = std::nearbyint(billed * nanos_per_hour / 3.6e12) +
                        std::nearbyint(billed * other_nanos_per_hour / 3.6e12) + other_nanos;
    return cost + std::nearbyint(cost * tax);
  }
  /// Returns the time to the result: wait, boot, the steps before the training, and the training.
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
/// billing and boot time only the first one can. If interruptions were simulated, the first four of
/// them can, because each has its own random interruptions. The first choice is always included.
/// The result points into `chosen`.
std::vector<PossibleWinner> possible_winners(const std::vector<Choice>& chosen);

/// Values a training time under an offer by an objective; smaller is better. The value is a cost in
/// nano-dollars, a time in seconds, or score_of() both, relative to the smallest ones.
struct Valuation {
  Objective by;
  double weight;         // of cost in the score; only for Objective::score, like the next two
  double smallest_cost;  // in nano-dollars
  double smallest_time;  // in seconds
  double operator()(const CostCurve& curve, double training_s) const {
    return by == Objective::time ? curve.seconds(training_s)
                                 : of(curve.nano_dollars(training_s), curve.seconds(training_s));
  }
  double of(double nano_dollars, double seconds) const;
};

/// Returns value / smallest; if smallest is 0, returns 1 for a value of 0 and infinity otherwise.
double relative(double value, double smallest);

/// Returns weight * relative cost + (1 - weight) * relative time; a part with weight 0 does not
/// count, even if it is infinite.
double score_of(double weight, double relative_cost, double relative_time);

/// Returns where the first choice by the preferences changes when all trainings get longer or
/// shorter in proportion, counted in epochs of the first choice, ascending: for each number of
/// epochs rank() orders the same way, by Candidate::time_by_epochs and within the same limits.
/// `chosen` is in rank order; `beyond_limits` has the choices that miss the deadline or the largest
/// cost only at the requested epochs. It tries every whole number from 1 to 10 times the first
/// choice's plan; for a long plan, or many candidates, as many as some hundred milliseconds allow,
/// closer together at the lower end, where winners change more often. Choices whose time by epochs
/// is not known, or whose interruptions were simulated, are skipped. The result is empty if the
/// first choice is skipped, if interruptions change the scores of all, for a ranking by energy or
/// CO2, and for limits on the risk or on CO2.
std::vector<Crossover> crossovers_of(const std::vector<Choice>& chosen,
                                     std::vector<Choice> beyond_limits,
                                     const Preferences& preferences);

}  // namespace lapcast

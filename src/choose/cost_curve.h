#pragma once

#include <algorithm>
#include <cmath>

#include "price/offer.h"

namespace lapcast {

/// Cost and time to the result under one offer as functions of the training time, in floating
/// point: for probabilities and crossovers over many times, never for a shown bill. Both never fall
/// when the training gets longer.
struct CostCurve {
  /// wait_s: before the machine can be had, not billed.
  explicit CostCurve(const Offer& offer, double wait_s = 0)
      : nanos_per_hour(static_cast<double>(offer.price.per_hour.nanos())),
        step_ns(static_cast<double>(offer.billing.step_ns)),
        minimum_ns(static_cast<double>(offer.billing.minimum_ns)),
        boot_ns(static_cast<double>(offer.boot_ns)),
        wait_s(wait_s) {}

  /// In whole nano-dollars, so that equal bills are equal here too.
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

}  // namespace lapcast

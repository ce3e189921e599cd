#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/interval.h"

namespace lapcast {

/// How long something lasted: until its end, or, `ended` false, until nobody looked any more.
struct Lifetime {
  double time = 0;  // >= 0
  bool ended = true;
};

/// The survival function from a time on at which something ended.
struct SurvivalStep {
  double time = 0;
  std::size_t at_risk = 0;    // that had lasted until just before
  std::size_t ended = 0;      // at this time
  Interval<double> survival;  // share that lasts longer, with its 95 % interval
  friend bool operator==(const SurvivalStep&, const SurvivalStep&) = default;
};

/// The product-limit estimate (Kaplan and Meier 1958): S = product of (1 - ended / at_risk); what is
/// under way counts as at risk until its own time, that time included. Intervals by Greenwood's
/// variance on the scale log(-log S) (Kalbfleisch and Prentice 1980, 1.3); at S = 0 it is 0 to the
/// end of the interval before. Ascending in time; empty when nothing ended.
std::vector<SurvivalStep> survival(std::span<const Lifetime> lifetimes);

/// The first time at which at most half last longer, and the same for the ends of the interval
/// (Brookmeyer and Crowley 1982); +infinity for what is not reached.
Interval<double> median_lifetime(std::span<const SurvivalStep> steps);

}  // namespace lapcast

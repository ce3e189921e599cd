#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Holds how long something lasted: until its end, or, where `ended` is false, until it was
/// observed for the last time (a censored lifetime).
struct Lifetime {
  double time = 0;  // >= 0, in the unit of the caller
  bool ended = true;
};

/// Describes one step of the survival function, at a time at which something ended.
struct SurvivalStep {
  double time = 0;
  std::size_t at_risk = 0;    // lifetimes of at least `time`
  std::size_t ended = 0;      // how many of them ended at `time`
  Interval<double> survival;  // share that lasts longer than `time`, with its 95 % interval
  friend bool operator==(const SurvivalStep&, const SurvivalStep&) = default;
};

/// Returns the product-limit estimate (Kaplan and Meier 1958): S = product of
/// (1 - ended / at_risk). A lifetime that has not ended counts as at risk up to and with its own
/// time. Intervals use Greenwood's variance on the scale log(-log S) (Kalbfleisch and Prentice
/// 1980, 1.3); at S = 0 the interval reaches from 0 to the upper end of the previous interval. The
/// steps ascend in time; there are none when nothing ended.
std::vector<SurvivalStep> survival(std::span<const Lifetime> lifetimes);

/// Returns the first time at which `survival` is at most 1/2: low, mid and high of the result are
/// those of its low, mid and high (Brookmeyer and Crowley 1982). Each is +infinity where no step
/// goes down to 1/2.
Interval<double> median_lifetime(std::span<const SurvivalStep> steps);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Holds how long something lasted: until its end, or, where `ended` is false, until it was last
/// seen.
struct Lifetime {
  double time = 0;  // >= 0
  bool ended = true;
};

/// Holds the survival function from a time on at which something ended.
struct SurvivalStep {
  double time = 0;
  std::size_t at_risk = 0;    // that had lasted until just before
  std::size_t ended = 0;      // at this time
  Interval<double> survival;  // share that lasts longer, with its 95 % interval
  friend bool operator==(const SurvivalStep&, const SurvivalStep&) = default;
};

/// Returns the product-limit estimate (Kaplan and Meier 1958): S = product of (1 - ended /
/// at_risk); what has not ended counts as at risk until its own time, that time included. Intervals
/// are by Greenwood's variance on the scale log(-log S) (Kalbfleisch and Prentice 1980, 1.3); at
/// S = 0 the interval reaches from 0 to the end of the interval before. The steps ascend in time;
/// there are none when nothing ended.
std::vector<SurvivalStep> survival(std::span<const Lifetime> lifetimes);

/// Returns the first time at which at most half last longer, and the same for the ends of the
/// interval (Brookmeyer and Crowley 1982); +infinity for a level that is not reached.
Interval<double> median_lifetime(std::span<const SurvivalStep> steps);

}  // namespace lapcast

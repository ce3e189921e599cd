#pragma once

#include <vector>

#include "core/interval.h"
#include "core/seconds.h"

namespace lapcast {

/// The possible outcomes of one run are represented by this many equally likely cases.
inline constexpr std::size_t kCases = 1024;

/// The training time in each case, ascending: the (k + 0.5) / kCases quantiles of the distribution
/// whose 2.5, 50 and 97.5 % quantiles are low, mid and high. It is lognormal on either side of mid;
/// normal, cut at 0, when low is 0.
std::vector<double> time_cases(const Interval<Seconds>& time);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Is the number of equally likely cases that represent the distribution of one run's time.
inline constexpr std::size_t kCases = 1024;

/// Returns the training time in each case, ascending: the (k + 0.5) / kCases quantiles of the
/// distribution whose 2.5, 50 and 97.5 % quantiles are low, mid and high. It is lognormal on either
/// side of mid; normal, cut at 0, when low is 0.
std::vector<double> time_cases(const Interval<Seconds>& time);

}  // namespace lapcast

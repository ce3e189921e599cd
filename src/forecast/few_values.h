#pragma once

#include <span>

#include "core/interval.h"
#include "core/seconds.h"

namespace lapcast {

/// Returns the mean of a few measurements with its interval. Below 5 values their own deviation
/// says little: then the larger of it and least_deviation (relative to the mean) makes a normal
/// interval. The interval is bounded, and not below 0 unless its mid is; all 0 when n = 0.
Interval<double> few_values_interval(std::span<const double> values, double least_deviation);

Interval<Seconds> to_seconds(const Interval<double>& seconds);
Interval<Seconds> scaled(const Interval<Seconds>& interval, double factor);  // factor >= 0
Interval<Seconds> operator+(const Interval<Seconds>& a, const Interval<Seconds>& b);

}  // namespace lapcast

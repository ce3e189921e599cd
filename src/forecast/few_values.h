#pragma once

#include <span>

#include "core/interval.h"
#include "core/seconds.h"

namespace lapcast {

/// Mean of a handful of measurements. Below 5 their own deviation says little: then the larger of
/// it and least_deviation (relative to the mean) counts, as a normal interval. Not below 0, never
/// unbounded; all 0 when n = 0.
Interval<double> few_values_interval(std::span<const double> values, double least_deviation);

Interval<Seconds> to_seconds(const Interval<double>& seconds);
Interval<Seconds> scaled(const Interval<Seconds>& interval, double factor);  // factor >= 0
Interval<Seconds> operator+(const Interval<Seconds>& a, const Interval<Seconds>& b);

}  // namespace lapcast

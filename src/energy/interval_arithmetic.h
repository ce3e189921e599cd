#pragma once

#include "core/seconds.h"

namespace lapcast {

// The functions below take intervals of values above 0, such as watts and joules.

/// Returns the interval times an exact factor that is not negative.
Interval<double> scaled(const Interval<double>& interval, double factor);

/// Returns the sum of two values whose errors are independent: the distances of the bounds from the
/// mids add in quadrature.
Interval<double> sum(const Interval<double>& a, const Interval<double>& b);

/// Returns the product of two values whose errors are independent: the logarithms of the bounds'
/// ratios to the mids add in quadrature. A bound of 0 stays 0.
Interval<double> product(const Interval<double>& a, const Interval<double>& b);

}  // namespace lapcast

#pragma once

#include <span>

#include "core/seconds.h"

namespace lapcast {

/// Holds a ratio of two totals, such as seconds per byte, estimated from a sample of pieces.
struct RatioEstimate {
  double ratio = 0;           // sum of y / sum of x
  double standard_error = 0;  // 0 = the ratio is known exactly; kUnknown for a single piece
  double df = 1;              // degrees of freedom of the standard error
};

/// Returns the ratio of y to x over pieces of different sizes (Cochran 1977, 6.3 and 6.4): sum of y
/// / sum of x, with the standard error sqrt(sum of (y - ratio * x)^2 / (n - 1) / n) / mean of x.
/// Needs at least one piece, and a sum of x above 0.
RatioEstimate ratio_estimate(std::span<const double> y, std::span<const double> x);

/// Returns the 95 % interval of the ratio times `total`, by Student's t; unbounded for one piece.
Interval<double> interval_of(const RatioEstimate& estimate, double total = 1);

}  // namespace lapcast

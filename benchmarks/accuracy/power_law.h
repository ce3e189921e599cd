#pragma once

#include <span>

#include "forecast/learning_curve.h"

namespace lapcast::accuracy {

/// Fits the naive baseline value = end - rise * epochs^-power by least squares (power from a grid
/// of 0.02 to 4; larger values are better). Returns the epochs at which it reaches the target, or
/// infinity when it never does or there are fewer than 3 points.
double power_law_epochs(std::span<const CurvePoint> points, double target);

}  // namespace lapcast::accuracy

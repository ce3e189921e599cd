#pragma once

#include <span>

#include "forecast/learning_curve.h"

namespace lapcast::accuracy {

/// The naive baseline: value = end - rise * epochs^-power by least squares (power from a grid of
/// 0.02 to 4), larger values being better. Where it is at the target; infinite where it never is or
/// there are fewer than 3 points.
double power_law_epochs(std::span<const CurvePoint> points, double target);

}  // namespace lapcast::accuracy

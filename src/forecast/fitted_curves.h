#pragma once

#include <span>
#include <vector>

#include "forecast/curve_families.h"
#include "forecast/learning_curve.h"
#include "stats/seeded_numbers.h"

namespace lapcast {

/// One curve with its end and rise as drawn from what the evaluations leave open.
struct DrawnCurve {
  CurveShape shape;
  double first_evaluation = 0;  // epochs
  double end = 0;
  double rise = 0;
  double noise = 0;  // standard deviation of an evaluation around the curve
  double at(double epochs) const;
};

/// What the evaluations say about one shape: conjugate Bayesian regression of end and rise
/// (normal-inverse-gamma posterior), in units of the metric.
struct FittedCurve {
  CurveShape shape;
  double weight = 0;            // posterior probability of the shape; those of all sum to 1
  double first_evaluation = 0;  // epochs
  double end = 0;               // posterior means
  double rise = 0;
  double end_variance = 0;  // all three of the posterior's scale; times noise^2 / chi2 when drawn
  double covariance = 0;
  double rise_variance = 0;
  double noise = 0;    // posterior scale of the noise's standard deviation
  double freedom = 0;  // its degrees of freedom

  DrawnCurve draw(SeededNumbers& numbers) const;
};

/// All shapes that the evaluations leave possible (weight of 1/1000 of the best or more), larger
/// values being better. `goal_value` is what is hoped for and sets the scale of the priors: the end
/// is expected there, +-0.3 of the way from the worst evaluation to it. Later evaluations count
/// more, in proportion to their epochs. Needs a point that is worse than goal_value. Empty where
/// the numbers are too large to be fitted.
std::vector<FittedCurve> fitted_curves(std::span<const CurvePoint> points, double goal_value);

}  // namespace lapcast

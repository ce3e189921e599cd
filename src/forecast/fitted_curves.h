#pragma once

#include <span>
#include <vector>

#include "forecast/curve_families.h"
#include "forecast/learning_curve.h"
#include "stats/seeded_numbers.h"

namespace lapcast {

/// Holds one curve whose end and rise were drawn from the posterior.
struct DrawnCurve {
  CurveShape shape;
  double first_evaluation = 0;  // epochs
  double end = 0;
  double rise = 0;
  double noise = 0;  // standard deviation of an evaluation around the curve
  double at(double epochs) const;
};

/// Holds the posterior of one shape given the evaluations: conjugate Bayesian regression of end and
/// rise (normal-inverse-gamma), in units of the metric.
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

/// Returns all shapes with at least 1/1000 of the best shape's weight; larger values are better.
/// `goal_value` sets the scale of the priors: the end is expected at it, +-0.3 of the way from the
/// worst evaluation to it. Evaluations count in proportion to their epochs. Needs a point that is
/// worse than goal_value. The result is empty where the numbers are too large to be fitted.
std::vector<FittedCurve> fitted_curves(std::span<const CurvePoint> points, double goal_value);

}  // namespace lapcast

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "forecast/learning_curve.h"
#include "stats/distributions.h"

namespace lapcast {

/// Names the families of learning curves in the literature that are linear in end and rise:
/// value(t) = end - rise * share_remaining(t), where t is in epochs and the share falls from 1 to
/// 0. Each line below gives remaining(t) with s = CurveShape::scale and p = CurveShape::power.
/// Domhan, Springenberg, Hutter (2015) and Viering, Loog (2022) list and compare them.
enum class CurveFamily {
  power,              // pow3: t^-p
  shifted_power,      // pow4: (1 + t/s)^-p
  exponential,        // exp3: exp(-t/s)
  janoschek,          // exp(-(t/s)^p), also called Weibull
  inverse_logarithm,  // ilog2: 1 / log(1 + t)
  log_power,          // 1 / (1 + (t/s)^p), also called MMF and Hill
};
inline constexpr int kCurveFamilies = 6;
std::string_view to_string(CurveFamily family);  // "power law", "Janoschek" ...

/// Describes one member of a family.
struct CurveShape {
  CurveFamily family = CurveFamily::power;
  double scale = 1;  // in epochs; families without s do not use it
  double power = 1;  // families without p do not use it
  friend bool operator==(const CurveShape&, const CurveShape&) = default;
};

/// Returns the family's formula for t = epochs > 0; at t = 0 it need not be 1.
double remaining(const CurveShape& shape, double epochs);
/// Returns which share of the rise remains: remaining(epochs) / remaining(0), or, where
/// remaining(0) is infinite, / remaining(first_evaluation). Both times are in epochs.
double share_remaining(const CurveShape& shape, double epochs, double first_evaluation);

/// Returns the shapes of all families to try: a grid of powers, and of scales between 1/32 and 8
/// times `observed`, the epochs trained so far.
std::vector<CurveShape> curve_shapes(double observed);

/// Holds one curve whose end, rise and noise were drawn from the posterior.
struct DrawnCurve {
  CurveShape shape;
  double first_evaluation = 0;  // epochs
  double end = 0;
  double rise = 0;
  double noise = 0;  // standard deviation of an evaluation around the curve
  /// Returns the metric on the curve, without noise.
  double at(double epochs) const;
};

/// Holds the posterior of one shape given the evaluations, by conjugate Bayesian regression of end
/// and rise (normal-inverse-gamma). end, rise and noise are in units of the metric.
struct FittedCurve {
  CurveShape shape;
  double weight = 0;            // posterior probability of the shape; those of all sum to 1
  double first_evaluation = 0;  // epochs
  double end = 0;               // posterior means
  double rise = 0;
  double end_variance = 0;  // this and the next two: multiples of the drawn noise's variance
  double covariance = 0;    // of end and rise
  double rise_variance = 0;
  double noise = 0;    // the drawn noise has the variance noise^2 * freedom / chi-squared(freedom)
  double freedom = 0;  // degrees of freedom

  DrawnCurve draw(SeededNumbers& numbers) const;
};

/// Returns the fits of all shapes with at least 1/1000 of the best shape's weight: curve_shapes()
/// and a refined one of each family. Larger values are better. `goal_value` sets the scale of the
/// priors: the end is expected at it, with a standard deviation of 0.3 of the way from the worst
/// evaluation to it. Evaluations count in proportion to their epochs. Needs a point that is worse
/// than goal_value. The result is empty where the numbers are too large to be fitted.
std::vector<FittedCurve> fitted_curves(std::span<const CurvePoint> points, double goal_value);

}  // namespace lapcast

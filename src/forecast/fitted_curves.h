#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "forecast/learning_curve.h"
#include "stats/distributions.h"

namespace lapcast {

/// Names the families of learning curves in the literature that are linear in where they end and
/// how far they rise: value(t) = end - rise * remaining(t), with remaining(0) = 1 or, for those
/// that have no finite start, remaining(first evaluation) = 1, falling to 0. Domhan, Springenberg,
/// Hutter (2015) and Viering, Loog (2022) list and compare them.
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

/// Describes one member of a family. `scale` is in epochs.
struct CurveShape {
  CurveFamily family = CurveFamily::power;
  double scale = 1;
  double power = 1;
  friend bool operator==(const CurveShape&, const CurveShape&) = default;
};

/// Returns what remains of the rise after so many epochs (> 0), not scaled to remaining(start) = 1.
double remaining(const CurveShape& shape, double epochs);
/// Returns it as a share of what remained at the start: at 0, or, where that is not finite, at the
/// first evaluation.
double share_remaining(const CurveShape& shape, double epochs, double first_evaluation);

/// Returns the shapes to try: a grid of powers, and of scales between 1/32 and 8 times the observed
/// epochs.
std::vector<CurveShape> curve_shapes(double observed);

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

#include "forecast/fitted_curves.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lapcast {
namespace {

// Priors, in units of the way from the worst evaluation to the goal.
constexpr double kEnd = 1, kEndDeviation = 0.3;
constexpr double kRise = 1, kRiseDeviation = 1;
constexpr double kNoise = 0.02;  // that the priors of end and rise are stated for
constexpr double kNoiseShape = 1, kNoiseScale = 0.001;  // of the inverse gamma of noise^2
constexpr double kLeastWeight = 1e-3;                   // of the best one's

/// Evaluations in the priors' units.
struct ScaledPoints {
  double low = 0;
  double unit = 1;
  std::vector<double> epochs;
  std::vector<double> values;
  std::vector<double> weights;  // sum to how many equal ones they are worth
  double effective = 0;         // Kish: (sum w)^2 / sum w^2
};

ScaledPoints scaled(std::span<const CurvePoint> points, double goal_value) {
  ScaledPoints result;
  const auto worse = [](const CurvePoint& a, const CurvePoint& b) { return a.value < b.value; };
  result.low = std::min_element(points.begin(), points.end(), worse)->value;
  result.unit = std::max(goal_value - result.low, 1e-300);
  double sum = 0, squares = 0;
  for (const CurvePoint& point : points) {
    const double weight = point.epochs / points.back().epochs;
    result.epochs.push_back(point.epochs);
    result.values.push_back((point.value - result.low) / result.unit);
    result.weights.push_back(weight);
    sum += weight;
    squares += weight * weight;
  }
  result.effective = sum * sum / squares;
  for (double& weight : result.weights) weight *= result.effective / sum;
  return result;
}

/// Sums of a regression on (1, -share remaining): precision matrix, right side, sum of squares.
struct Sums {
  double a00, a01, a11, b0, b1, yy;
};

Sums prior_sums() {
  const double a00 = kNoise * kNoise / (kEndDeviation * kEndDeviation);
  const double a11 = kNoise * kNoise / (kRiseDeviation * kRiseDeviation);
  return {a00, 0, a11, a00 * kEnd, a11 * kRise, a00 * kEnd * kEnd + a11 * kRise * kRise};
}

Sums with_points(Sums sums, const ScaledPoints& points, const CurveShape& shape) {
  for (std::size_t i = 0; i < points.epochs.size(); ++i) {
    const double f = -share_remaining(shape, points.epochs[i], points.epochs[0]);
    const double y = points.values[i], w = points.weights[i];
    sums.a00 += w;
    sums.a01 += w * f;
    sums.a11 += w * f * f;
    sums.b0 += w * y;
    sums.b1 += w * y * f;
    sums.yy += w * y * y;
  }
  return sums;
}

/// The posterior for one shape; `weight` is the logarithm of its evidence.
FittedCurve fit(const ScaledPoints& points, const CurveShape& shape) {
  const Sums prior = prior_sums();
  const Sums sums = with_points(prior, points, shape);
  const double det = sums.a00 * sums.a11 - sums.a01 * sums.a01;
  FittedCurve curve{.shape = shape, .first_evaluation = points.epochs[0]};
  curve.end_variance = sums.a11 / det;
  curve.covariance = -sums.a01 / det;
  curve.rise_variance = sums.a00 / det;
  curve.end = curve.end_variance * sums.b0 + curve.covariance * sums.b1;
  curve.rise = curve.covariance * sums.b0 + curve.rise_variance * sums.b1;
  const double squares = std::max(0.0, sums.yy - curve.end * sums.b0 - curve.rise * sums.b1);
  const double noise_shape = kNoiseShape + points.effective / 2;
  const double noise_scale = kNoiseScale + squares / 2;
  curve.freedom = 2 * noise_shape;
  curve.noise = std::sqrt(noise_scale / noise_shape);
  curve.weight = 0.5 * std::log(prior.a00 * prior.a11 / det) - noise_shape * std::log(noise_scale);
  return curve;
}

FittedCurve in_metric_units(FittedCurve curve, const ScaledPoints& points) {
  curve.end = points.low + points.unit * curve.end;
  curve.rise *= points.unit;
  curve.noise *= points.unit;
  return curve;
}

/// Evidences to probabilities: families are equally likely, then the shapes within each.
void weigh(std::vector<FittedCurve>& curves) {
  std::array<double, kCurveFamilies> shapes{};
  for (const FittedCurve& curve : curves) ++shapes[static_cast<std::size_t>(curve.shape.family)];
  double best = -HUGE_VAL;
  for (FittedCurve& curve : curves) {
    curve.weight -= std::log(shapes[static_cast<std::size_t>(curve.shape.family)]);
    best = std::max(best, curve.weight);
  }
  for (FittedCurve& curve : curves) curve.weight = std::exp(curve.weight - best);
  std::erase_if(curves, [](const FittedCurve& curve) { return !(curve.weight >= kLeastWeight); });
  double sum = 0;
  for (const FittedCurve& curve : curves) sum += curve.weight;
  for (FittedCurve& curve : curves) curve.weight /= sum;
}

}  // namespace

double DrawnCurve::at(double epochs) const {
  return end - rise * share_remaining(shape, epochs, first_evaluation);
}

DrawnCurve FittedCurve::draw(SeededNumbers& numbers) const {
  const double sigma = noise * std::sqrt(freedom / numbers.chi_squared(freedom));
  // Cholesky factor of [[end_variance, covariance], [covariance, rise_variance]].
  const double l00 = std::sqrt(end_variance);
  const double l10 = covariance / l00;
  const double l11 = std::sqrt(std::max(0.0, rise_variance - l10 * l10));
  const double z0 = numbers.normal(), z1 = numbers.normal();
  return {shape, first_evaluation, end + sigma * l00 * z0, rise + sigma * (l10 * z0 + l11 * z1),
          sigma};
}

std::vector<FittedCurve> fitted_curves(std::span<const CurvePoint> points, double goal_value) {
  const ScaledPoints scaled_points = scaled(points, goal_value);
  std::vector<FittedCurve> curves;
  for (const CurveShape& shape : curve_shapes(points.back().epochs))
    curves.push_back(in_metric_units(fit(scaled_points, shape), scaled_points));
  weigh(curves);
  return curves;
}

}  // namespace lapcast

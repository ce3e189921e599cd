#include "forecast/fitted_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace lapcast {
namespace {

constexpr int kScales = 17;  // from 1/32 to 8 times the observed epochs, a factor of sqrt(2) apart

/// Describes a family: its name, its start, and the grid of shapes that is tried.
struct FamilyFacts {
  std::string_view name;
  bool starts_at_infinity;
  bool has_scale;
  std::vector<double> powers;  // only 1: it has no power
};

const FamilyFacts& facts_of(CurveFamily family) {
  static const FamilyFacts kFacts[kCurveFamilies] = {
      {"power law", true, false, {0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2}},
      {"shifted power law", false, true, {0.3, 0.6, 1, 2}},
      {"exponential", false, true, {1}},
      {"Janoschek", false, true, {0.5, 0.75, 1.5, 2.5}},
      {"inverse logarithm", true, false, {1}},
      {"log-power", false, true, {0.75, 1, 1.5, 2.5, 4}}};
  return kFacts[static_cast<std::size_t>(family)];
}

// The priors of end, rise and noise are in units of the way from the worst evaluation to the goal.
constexpr double kEnd = 1, kEndDeviation = 0.3;
constexpr double kRise = 1, kRiseDeviation = 1;
constexpr double kNoise = 0.02;  // that the priors of end and rise are stated for
constexpr double kNoiseShape = 1, kNoiseScale = 0.001;  // of the inverse gamma of noise^2
constexpr double kLeastFitWeight = 1e-3;                // of the best one's

constexpr std::size_t kMostBlocks = 128;

/// Holds neighbouring evaluations, combined into one point of the curve, in the priors' units.
struct Block {
  double epochs = 0;   // weighted mean
  double weight = 0;   // sum of the weights w
  double values = 0;   // sum of w y
  double squares = 0;  // sum of w y^2
};

/// Holds all evaluations, later ones with more weight.
struct ScaledPoints {
  double low = 0;  // the value that is 0 in the priors' units
  double unit = 1;
  double first = 0;      // epochs of the first evaluation
  double effective = 0;  // effective number of evaluations: (sum w)^2 / sum w^2
  std::vector<Block> blocks;
};

ScaledPoints scaled(std::span<const CurvePoint> points, double goal_value) {
  ScaledPoints result{.first = points.front().epochs};
  const auto worse = [](const CurvePoint& a, const CurvePoint& b) { return a.value < b.value; };
  result.low = std::min_element(points.begin(), points.end(), worse)->value;
  result.unit = std::max(goal_value - result.low, 1e-300);
  double sum = 0, squares = 0;
  for (const CurvePoint& point : points) {
    sum += point.epochs;
    squares += point.epochs * point.epochs;
  }
  result.effective = sum * sum / squares;
  const std::size_t size = (points.size() + kMostBlocks - 1) / kMostBlocks;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % size == 0) result.blocks.emplace_back();
    Block& block = result.blocks.back();
    const double w = points[i].epochs * result.effective / sum;
    const double y = (points[i].value - result.low) / result.unit;
    block.weight += w;
    block.epochs += w * points[i].epochs;
    block.values += w * y;
    block.squares += w * y * y;
  }
  for (Block& block : result.blocks) block.epochs /= block.weight;
  return result;
}

/// Holds the sums of a regression on (1, -share remaining): precision matrix, right side, sum of
/// squares.
struct Sums {
  double a00, a01, a11, b0, b1, yy;
};

Sums prior_sums() {
  const double a00 = kNoise * kNoise / (kEndDeviation * kEndDeviation);
  const double a11 = kNoise * kNoise / (kRiseDeviation * kRiseDeviation);
  return {a00, 0, a11, a00 * kEnd, a11 * kRise, a00 * kEnd * kEnd + a11 * kRise * kRise};
}

Sums with_points(Sums sums, const ScaledPoints& points, const CurveShape& shape) {
  for (const Block& block : points.blocks) {
    const double f = -share_remaining(shape, block.epochs, points.first);
    sums.a00 += block.weight;
    sums.a01 += block.weight * f;
    sums.a11 += block.weight * f * f;
    sums.b0 += block.values;
    sums.b1 += block.values * f;
    sums.yy += block.squares;
  }
  return sums;
}

/// Returns the posterior for one shape; `weight` is the logarithm of its evidence.
FittedCurve fit(const ScaledPoints& points, const CurveShape& shape) {
  const Sums prior = prior_sums();
  const Sums sums = with_points(prior, points, shape);
  const double det = sums.a00 * sums.a11 - sums.a01 * sums.a01;
  FittedCurve curve{.shape = shape, .first_evaluation = points.first};
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

CurveShape moved(CurveShape shape, double scale, double power) {
  if (facts_of(shape.family).has_scale) shape.scale *= scale;
  if (facts_of(shape.family).powers.size() > 1) shape.power *= power;
  return shape;
}

/// Returns the best shape near a member of the grid, no farther than its neighbours, by a compass
/// search over the logarithms of scale and power.
FittedCurve refined(const ScaledPoints& points, const FittedCurve& from) {
  constexpr double kFinest = 0.005, kReach = 0.35;
  constexpr std::pair<double, double> kDirections[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  FittedCurve best = from;
  double scale = 0, power = 0;
  for (double step = kReach / 2; step > kFinest;) {
    const double before = best.weight;
    for (const auto& [along_scale, along_power] : kDirections) {
      const double to_scale = std::clamp(scale + along_scale * step, -kReach, kReach);
      const double to_power = std::clamp(power + along_power * step, -kReach, kReach);
      const FittedCurve other =
          fit(points, moved(from.shape, std::exp(to_scale), std::exp(to_power)));
      if (!(other.weight > best.weight)) continue;
      best = other;
      scale = to_scale;
      power = to_power;
    }
    if (!(best.weight > before + 0.1)) step /= 2;
  }
  return best;
}

/// Adds a refined shape for the best of each family: for many evaluations the grid is too coarse.
void add_refined(const ScaledPoints& points, std::vector<FittedCurve>& curves) {
  std::array<const FittedCurve*, kCurveFamilies> best{};
  for (const FittedCurve& curve : curves) {
    const FittedCurve*& of_family = best[static_cast<std::size_t>(curve.shape.family)];
    if (of_family == nullptr || curve.weight > of_family->weight) of_family = &curve;
  }
  std::vector<FittedCurve> added;
  for (const FittedCurve* curve : best) added.push_back(refined(points, *curve));
  curves.insert(curves.end(), added.begin(), added.end());
}

/// Turns evidences into probabilities: families are equally likely, then the shapes within each.
void weigh(std::vector<FittedCurve>& curves) {
  std::array<double, kCurveFamilies> shapes{};
  for (const FittedCurve& curve : curves) ++shapes[static_cast<std::size_t>(curve.shape.family)];
  double best = -HUGE_VAL;
  for (FittedCurve& curve : curves) {
    curve.weight -= std::log(shapes[static_cast<std::size_t>(curve.shape.family)]);
    best = std::max(best, curve.weight);
  }
  for (FittedCurve& curve : curves) curve.weight = std::exp(curve.weight - best);
  std::erase_if(curves,
                [](const FittedCurve& curve) { return !(curve.weight >= kLeastFitWeight); });
  double sum = 0;
  for (const FittedCurve& curve : curves) sum += curve.weight;
  for (FittedCurve& curve : curves) curve.weight /= sum;
}

}  // namespace

std::string_view to_string(CurveFamily family) {
  return facts_of(family).name;
}

double remaining(const CurveShape& shape, double epochs) {
  switch (shape.family) {
    case CurveFamily::power:
      return std::pow(epochs, -shape.power);
    case CurveFamily::shifted_power:
      return std::pow(1 + epochs / shape.scale, -shape.power);
    case CurveFamily::exponential:
      return std::exp(-epochs / shape.scale);
    case CurveFamily::janoschek:
      return std::exp(-std::pow(epochs / shape.scale, shape.power));
    case CurveFamily::inverse_logarithm:
      return 1 / std::log1p(epochs);
    case CurveFamily::log_power:
      return 1 / (1 + std::pow(epochs / shape.scale, shape.power));
  }
  return 0;
}

double share_remaining(const CurveShape& shape, double epochs, double first_evaluation) {
  if (!facts_of(shape.family).starts_at_infinity) return remaining(shape, epochs);
  return remaining(shape, epochs) / remaining(shape, first_evaluation);
}

std::vector<CurveShape> curve_shapes(double observed) {
  std::vector<CurveShape> shapes;
  for (int i = 0; i < kCurveFamilies; ++i) {
    const auto family = static_cast<CurveFamily>(i);
    const FamilyFacts& facts = facts_of(family);
    for (int k = 0; k < (facts.has_scale ? kScales : 1); ++k) {
      const double scale = facts.has_scale ? observed * std::pow(2.0, 0.5 * k - 5) : 1;
      for (const double power : facts.powers) shapes.push_back({family, scale, power});
    }
  }
  return shapes;
}

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
    curves.push_back(fit(scaled_points, shape));
  add_refined(scaled_points, curves);
  weigh(curves);
  for (FittedCurve& curve : curves) {
    curve.end = scaled_points.low + scaled_points.unit * curve.end;
    curve.rise *= scaled_points.unit;
    curve.noise *= scaled_points.unit;
  }
  return curves;
}

}  // namespace lapcast

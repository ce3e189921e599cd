#include "forecast/epochs_needed.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "stats/distributions.h"

namespace lapcast {
namespace {

// The deviations were measured on earlier runs of other submitters (docs/forecast.md); all are of
// logarithms.
constexpr double kBetweenRuns = 0.045;       // between the epochs of two runs that look the same
constexpr double kStretchSameBatch = 0.03;   // deviation of the stretch
constexpr double kStretchDoubleBatch = 0.3;  // the same where the batch size differs by 2 or more
constexpr double kBatchReach = 0.3;          // width of the kernel over batch sizes
constexpr double kUnknownBatch = 0.5;        // difference that is assumed where one is not known
constexpr int kStretches = 15;               // tried, from -2.5 to 2.5 deviations
// The width of the kernel over curves is the distance of the 6th nearest times this share.
constexpr std::size_t kNeighbour = 5;
constexpr double kNeighbourShare = 0.6;
constexpr double kLeastWidth = 0.07;     // of the way from the last evaluation to the goal
constexpr double kLikeness = 0.6;        // of that way: the scale of distances that are alike
constexpr double kWayOfPatience = 0.25;  // the way to go without a target, of the range seen
constexpr double kLeastWeight = 1e-4;
constexpr int kSamplesOfRun = 9;
// A run that ended before the goal would have reached it with this probability, within this many
// times its length.
constexpr double kGoesOn = 0.5;
constexpr double kGoesOnFor = 4;

/// Describes an earlier curve stretched by one factor.
struct Laid {
  std::size_t index = 0;
  double needed = 0;    // epochs to the goal, stretched; kNever = it was not reached
  double followed = 0;  // epochs until its end, stretched
  double distance = 0;  // root mean square over the evaluations, in the metric
  double weight = 0;    // its logarithm until all factors are in
};

/// Returns the curve's value at that time, linear between its evaluations; nothing beyond its ends.
std::optional<double> value_at(const LearningCurve& curve, double epochs) {
  const auto& points = curve.points;
  if (epochs < 0.75 * points.front().epochs || epochs > 1.02 * points.back().epochs)
    return std::nullopt;
  const auto right = std::ranges::lower_bound(points, epochs, {}, &CurvePoint::epochs);
  if (right == points.begin()) return right->value;
  const CurvePoint& left = *std::prev(right);
  if (right == points.end()) return left.value;
  const double share = (epochs - left.epochs) / (right->epochs - left.epochs);
  return left.value + share * (right->value - left.value);
}

/// Returns the root mean square difference, weighted by epochs; nothing where the two curves have
/// no epochs in common.
std::optional<double> distance(const LearningCurve& curve, const LearningCurve& earlier,
                               double stretch) {
  double squares = 0, weights = 0;
  for (const CurvePoint& point : curve.points) {
    const auto value = value_at(earlier, point.epochs / stretch);
    if (!value) continue;
    squares += point.epochs * (*value - point.value) * (*value - point.value);
    weights += point.epochs;
  }
  if (!(weights > 0)) return std::nullopt;
  return std::sqrt(squares / weights);
}

void lay(std::vector<Laid>& all, std::size_t index, const LearningCurve& curve,
         const TrainingGoal& goal, const EarlierCurve& earlier, double batch_size) {
  const double batches = earlier.batch_size > 0 && batch_size > 0
                             ? std::log(earlier.batch_size / batch_size)
                             : kUnknownBatch;
  const double apart = std::min(1.0, std::abs(batches) / std::log(2.0));
  const double deviation = std::hypot(kStretchSameBatch, kStretchDoubleBatch * apart);
  const double needed = epochs_when_reached(earlier.curve, goal).value_or(kNever);
  for (int i = 0; i < kStretches; ++i) {
    const double u = -2.5 + 5.0 * i / (kStretches - 1);
    const double stretch = std::exp(u * deviation);
    const double followed = earlier.curve.points.back().epochs * stretch;
    const double tells_of = needed < kNever ? needed * stretch : followed;
    if (tells_of <= curve.points.back().epochs) continue;
    const auto off = distance(curve, earlier.curve, stretch);
    const double batch_z = batches / kBatchReach;
    if (off)
      all.push_back(
          {index, needed * stretch, followed, *off, -0.5 * u * u - 0.5 * batch_z * batch_z});
  }
}

/// Returns the width of the kernel, from the nearest curves, at least a share of the way to go.
double kernel_width(const std::vector<Laid>& all, double way_to_go) {
  std::vector<double> nearest;  // of each earlier curve
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].index != all[i - 1].index) nearest.push_back(all[i].distance);
    nearest.back() = std::min(nearest.back(), all[i].distance);
  }
  const auto at =
      nearest.begin() + static_cast<std::ptrdiff_t>(std::min(kNeighbour, nearest.size() - 1));
  std::nth_element(nearest.begin(), at, nearest.end());
  return std::max(kNeighbourShare * *at, kLeastWidth * way_to_go);
}

void weigh(std::vector<Laid>& all, double width) {
  double best = -HUGE_VAL;
  for (Laid& laid : all) {
    laid.weight -= 0.5 * (laid.distance / width) * (laid.distance / width);
    best = std::max(best, laid.weight);
  }
  for (Laid& laid : all) laid.weight = std::exp(laid.weight - best);
  std::erase_if(all, [](const Laid& laid) { return !(laid.weight >= kLeastWeight); });
}

/// Adds a lognormal distribution around what the earlier run needed, as far as it is not past,
/// because similar runs still differ. Returns the weight that was added.
double add_needed(WeightedValues& samples, const Laid& laid, double seen) {
  const double past = normal_cdf(std::log(seen / laid.needed) / kBetweenRuns);
  const double weight = laid.weight * (1 - past);
  for (int i = 0; i < kSamplesOfRun; ++i) {
    const double z =
        normal_quantile(std::min(past + (1 - past) * (i + 0.5) / kSamplesOfRun, 1 - 1e-15));
    samples.add(laid.needed * std::exp(kBetweenRuns * z), weight / kSamplesOfRun);
  }
  return weight;
}

/// Adds the samples of a run that ended before the goal: it takes longer, perhaps for ever. Returns
/// the weight that was added.
double add_not_reached(WeightedValues& samples, const Laid& laid) {
  samples.add(kNever, laid.weight * (1 - kGoesOn));
  for (int i = 0; i < kSamplesOfRun; ++i)
    samples.add(laid.followed * std::pow(kGoesOnFor, (i + 0.5) / kSamplesOfRun),
                laid.weight * kGoesOn / kSamplesOfRun);
  return laid.weight;
}

/// Returns the likeness of the most similar curve, which falls as the distance grows.
double likeness_of(const std::vector<Laid>& all, double way_to_go) {
  double likeness = 0;
  for (const Laid& laid : all) {
    const double z = laid.distance / (kLikeness * way_to_go);
    likeness = std::max(likeness, std::exp(-0.5 * z * z));
  }
  return likeness;
}

/// Returns the way from the last evaluation to the goal, but not less than a small part of the
/// whole way.
double way_to_go(const LearningCurve& curve, const TrainingGoal& goal) {
  const auto [low, high] = std::ranges::minmax_element(curve.points, {}, &CurvePoint::value);
  const double range = high->value - low->value;
  const double way =
      goal.target ? *goal.target - curve.points.back().value : kWayOfPatience * range;
  return std::max({way, 0.02 * (goal.target.value_or(high->value) - low->value), 1e-300});
}

std::vector<CurveWeight> shares_of(std::span<const double> weights,
                                   std::span<const EarlierCurve> earlier, double batch_size) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<CurveWeight> shares;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0)
      shares.push_back(
          {i, weights[i] / sum, !(earlier[i].batch_size == batch_size && batch_size > 0)});
  std::ranges::stable_sort(shares, std::greater<>(), &CurveWeight::share);
  return shares;
}

}  // namespace

EarlierForecast forecast_from_earlier(const LearningCurve& curve, const TrainingGoal& goal,
                                      std::span<const EarlierCurve> earlier, double batch_size) {
  std::vector<Laid> all;
  for (std::size_t i = 0; i < earlier.size(); ++i)
    if (!earlier[i].curve.points.empty()) lay(all, i, curve, goal, earlier[i], batch_size);
  if (all.empty()) return {};
  const double to_go = way_to_go(curve, goal);
  weigh(all, kernel_width(all, to_go) * (1 + 1.0 / static_cast<double>(curve.points.size())));
  WeightedValues samples;
  std::vector<double> weights(earlier.size());
  for (const Laid& laid : all)
    weights[laid.index] += laid.needed < kNever
                               ? add_needed(samples, laid, curve.points.back().epochs)
                               : add_not_reached(samples, laid);
  if (!(samples.weight() > 0)) return {};
  EarlierForecast result{{}, likeness_of(all, to_go), shares_of(weights, earlier, batch_size)};
  result.samples.add(samples, 1 / samples.weight());
  return result;
}

}  // namespace lapcast

#include "forecast/curve_future.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stats/seeded_numbers.h"

namespace lapcast {
namespace {

constexpr int kFutures = 400;
constexpr std::uint64_t kSeed = 20150725;
constexpr double kStride =
    0.01;  // evaluations closer than that share of the way are taken together

double when_reached(const LearningCurve& curve, const DrawnCurve& drawn, GoalWatch watch,
                    double horizon, SeededNumbers& numbers) {
  const double spacing = evaluation_spacing(curve);
  double at = curve.points.back().epochs;
  while (at < horizon) {
    const double reports = std::max(1.0, std::floor(kStride * at / spacing));
    at += reports * spacing;
    const double value = drawn.at(at) + drawn.noise * numbers.largest_normal(reports);
    if (watch.reached_by(value, static_cast<std::int64_t>(reports))) return at;
  }
  return kNever;
}

}  // namespace

EpochSamples curve_futures(const LearningCurve& curve, std::span<const FittedCurve> fits,
                           const TrainingGoal& goal, double horizon) {
  GoalWatch watch(goal);
  for (const CurvePoint& point : curve.points) watch.reached_by(point.value);
  SeededNumbers numbers(kSeed);
  EpochSamples samples;
  std::size_t fit = 0;
  double passed = 0;
  for (int i = 0; i < kFutures; ++i) {
    while (fit + 1 < fits.size() && passed + fits[fit].weight < (i + 0.5) / kFutures)
      passed += fits[fit++].weight;
    const DrawnCurve drawn = fits[fit].draw(numbers);
    samples.add(when_reached(curve, drawn, watch, horizon, numbers), 1.0 / kFutures);
  }
  return samples;
}

EpochSamples futures_by_age(double epochs, double horizon) {
  constexpr int kSamples = 200;
  EpochSamples samples;
  for (int i = 0; i < kSamples; ++i) {
    const double needed = epochs / (1 - (i + 0.5) / kSamples);
    samples.add(needed <= horizon ? needed : kNever, 1.0 / kSamples);
  }
  return samples;
}

}  // namespace lapcast

#pragma once

#include <span>
#include <string>
#include <vector>

#include "forecast/learning_curve.h"
#include "stats/weighted.h"

namespace lapcast {

/// Holds the curve of an earlier run of the same program, on any machine.
struct EarlierCurve {
  std::string run_id;
  LearningCurve curve;
  double batch_size = 0;  // 0 = not known
};

/// Says how much of a forecast rests on one earlier run.
struct CurveWeight {
  std::size_t index = 0;          // into the curves given
  double share = 0;               // of all earlier runs; those of all sum to 1
  bool other_batch_size = false;  // or one of the two is not known
};

/// Holds what earlier runs say about when a curve reaches the goal.
struct EarlierForecast {
  WeightedValues samples;  // total weight 1
  double likeness = 0;     // 0 .. 1: how well the curve that fits best agrees with the evaluations
  std::vector<CurveWeight> shares;  // the largest first
};

/// Forecasts by kernel regression on curves. Each earlier curve is stretched along the epochs by
/// factors around 1 (within a narrow range for the same batch size, a wide one for others), laid
/// over the evaluations, and weighted by how well it agrees with them, later ones more, and by how
/// near its batch size is. It then says when it reached the goal itself. All metrics are larger =
/// better. The samples are empty where no earlier curve went farther than this one.
EarlierForecast forecast_from_earlier(const LearningCurve& curve, const TrainingGoal& goal,
                                      std::span<const EarlierCurve> earlier, double batch_size);

}  // namespace lapcast

#pragma once

#include <span>
#include <string>
#include <vector>

#include "forecast/epoch_samples.h"
#include "forecast/learning_curve.h"

namespace lapcast {

/// The curve of an earlier run of the same program, on whichever machine.
struct EarlierCurve {
  std::string run_id;
  LearningCurve curve;
  double batch_size = 0;  // 0 = not known
};

/// How much of a forecast rests on one earlier run.
struct CurveWeight {
  std::size_t index = 0;          // into what was given
  double share = 0;               // of all earlier runs; those of all sum to 1
  bool other_batch_size = false;  // or one of the two is not known
};

/// What earlier runs say about when a curve reaches the goal.
struct EarlierForecast {
  EpochSamples samples;  // total weight 1
  double likeness = 0;   // 0 .. 1: how well the curve that fits best agrees with what was seen
  std::vector<CurveWeight> shares;  // the largest first
};

/// Each earlier curve is laid over the evaluations, stretched along the epochs by factors around 1
/// (closely for the same batch size, widely for others), and counts by how well it agrees there,
/// later evaluations more, and by how near its batch size is (a kernel regression on curves). It
/// then says when it reached the goal itself. All metrics larger = better. Empty samples where no
/// earlier curve went farther than this one.
EarlierForecast forecast_from_earlier(const LearningCurve& curve, const TrainingGoal& goal,
                                      std::span<const EarlierCurve> earlier, double batch_size);

}  // namespace lapcast

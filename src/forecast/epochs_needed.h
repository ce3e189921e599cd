#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "forecast/learning_curve.h"
#include "stats/summary.h"

namespace lapcast {

/// Holds the curve of an earlier run of the same program, on any machine.
struct EarlierCurve {
  std::string run_id;
  LearningCurve curve;
  double batch_size = 0;  // 0 = not known
};

/// Says how much of an EarlierForecast rests on one earlier run.
struct CurveWeight {
  std::size_t index = 0;          // into the curves given
  double share = 0;               // the shares of all earlier runs sum to 1
  bool other_batch_size = false;  // true also where a batch size is not known
};

/// Holds what earlier runs say about when a curve reaches the goal.
struct EarlierForecast {
  WeightedValues samples;  // epochs until the goal, or kNever; total weight 1
  double likeness = 0;     // 0 .. 1: how well the curve that fits best agrees with the evaluations
  std::vector<CurveWeight> shares;  // the largest first
};

/// Forecasts by kernel regression on curves (docs/forecast.md). Each earlier curve is stretched
/// along the epochs by factors around 1 (within a narrow range for the same batch size, a wide one
/// for others) and weighted by how well it agrees with the evaluations (later ones count more) and
/// by how near its batch size is. Its stretched number of epochs until the goal is a sample. All
/// metrics are larger = better; `batch_size` is that of `curve`, which has a point; 0 = not known.
/// The samples are empty where no earlier curve went farther than this one.
EarlierForecast forecast_from_earlier(const LearningCurve& curve, const TrainingGoal& goal,
                                      std::span<const EarlierCurve> earlier, double batch_size);

/// Says in plain words what a share of a forecast rests on.
struct EpochsBasis {
  double share = 0;
  std::string text;  // "earlier runs with the same batch size: 3f0c8a91d2e4, 91d2b07c55aa"
};

/// Holds the number of epochs from the start of a training until it reaches its goal.
struct EpochsNeeded {
  bool reached = false;       // the curve has reached the goal, at `epochs` exactly
  Interval<double> epochs;    // median and 95 %; kNever where a quantile is beyond `horizon`
  double chance_reached = 0;  // probability that the goal is reached within `horizon`
  /// Gives the epochs that the forecast covers: the limit asked for, else 20 times the observed
  /// epochs or twice the longest earlier run, whichever is more.
  double horizon = 0;
  WeightedValues samples;          // the whole distribution of the epochs; total weight 1
  std::vector<EpochsBasis> basis;  // the largest first
  std::vector<std::string> warnings;
};

/// Holds what epochs_needed() is asked, apart from the curves.
struct EpochsQuestion {
  TrainingGoal goal;
  double batch_size = 0;  // of the curve; 0 = not known
  double max_epochs = 0;  // the training ends there at the latest; 0 = no limit
};

/// Forecasts the epochs needed from the earlier runs, as far as they are like this one, and from
/// the curve itself (docs/forecast.md). Returns the reason where the curve has reached max_epochs,
/// or has too few points: 4 are needed, or 1 if an earlier run shows how it goes on.
Result<EpochsNeeded> epochs_needed(const LearningCurve& curve, const EpochsQuestion& question,
                                   std::span<const EarlierCurve> earlier = {});

}  // namespace lapcast

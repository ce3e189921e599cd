#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/interval.h"
#include "core/result.h"
#include "forecast/earlier_curves.h"
#include "forecast/learning_curve.h"
#include "stats/weighted.h"

namespace lapcast {

/// Says in plain words what a share of a forecast rests on.
struct EpochsBasis {
  double share = 0;
  std::string text;  // "earlier runs with the same batch size: 3f0c8a91d2e4, 91d2b07c55aa"
};

/// Holds the number of epochs until a training reaches its goal.
struct EpochsNeeded {
  bool reached = false;       // the curve reached the goal at `epochs`
  Interval<double> epochs;    // median and 95 %; kNever where the chance of never is too large
  double chance_reached = 0;  // within `horizon`
  double horizon = 0;  // epochs: the limit asked for, else 20 times the observed epochs, or twice
                       // the longest earlier run
  WeightedValues samples;          // the whole distribution; total weight 1
  std::vector<EpochsBasis> basis;  // the largest first
  std::vector<std::string> warnings;
};

/// Holds what is known beside the curve.
struct EpochsQuestion {
  TrainingGoal goal;
  double batch_size = 0;  // of the curve; 0 = not known
  double max_epochs = 0;  // training ends then; 0 = no limit
};

/// Mixes what earlier runs did, as far as they are like this one, with the curve's own course
/// (docs/epochs.md). Returns the reason where there are too few points: 4 are needed, or 1 where an
/// earlier run says how the curve goes on.
Result<EpochsNeeded> epochs_needed(const LearningCurve& curve, const EpochsQuestion& question,
                                   std::span<const EarlierCurve> earlier = {});

}  // namespace lapcast

#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/interval.h"
#include "core/result.h"
#include "forecast/earlier_curves.h"
#include "forecast/epoch_samples.h"
#include "forecast/learning_curve.h"

namespace lapcast {

/// A share of a forecast and what it rests on, in plain words.
struct EpochsBasis {
  double share = 0;
  std::string text;  // "earlier runs with the same batch size: 3f0c8a91d2e4, 91d2b07c55aa"
};

/// How many epochs until a training reaches its goal.
struct EpochsNeeded {
  bool reached = false;       // the curve is there already: `epochs` is when
  Interval<double> epochs;    // median and 95 %; kNever where the chance of never is too large
  double chance_reached = 0;  // within `horizon`
  double horizon = 0;         // epochs: the limit asked for, else 20 times what was seen, or twice
                              // the longest earlier run
  EpochSamples samples;       // the whole distribution; total weight 1
  std::vector<EpochsBasis> basis;  // the largest first
  std::vector<std::string> warnings;
};

/// What else is known than the curve.
struct EpochsQuestion {
  TrainingGoal goal;
  double batch_size = 0;  // of the curve; 0 = not known
  double max_epochs = 0;  // training ends then; 0 = no limit
};

/// Mixes what earlier runs did, as far as they are like this one, with the curve's own course
/// (docs/epochs.md). Never looks at more than the points it is given. Reason where there are too
/// few of them: 4, or 1 where an earlier run says how it goes on.
Result<EpochsNeeded> epochs_needed(const LearningCurve& curve, const EpochsQuestion& question,
                                   std::span<const EarlierCurve> earlier = {});

}  // namespace lapcast

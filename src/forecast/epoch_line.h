#pragma once

#include "core/result.h"
#include "forecast/forecast.h"

namespace lapcast {

/// Our forecast's mid as a function of the number of epochs, to find where a ranking changes.
struct EpochLine {
  double fixed_s = 0;
  double per_epoch_s = 0;
  double at(double epochs) const { return fixed_s + per_epoch_s * epochs; }
};

/// Exact from the epoch on in which warm-up ends and the first validation comes; where validations
/// come after every so many epochs, after each of them. The plan's own number of epochs or steps
/// plays no part. Reason when the laps of an epoch are not known.
Result<EpochLine> epoch_line(const LapProfile& profile, const TrainingPlan& plan,
                             const Priors& priors = Priors{});

}  // namespace lapcast

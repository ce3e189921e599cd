#pragma once

#include <span>

#include "forecast/epoch_samples.h"
#include "forecast/fitted_curves.h"

namespace lapcast {

/// How a curve goes on if it keeps to the fitted ones: when futures drawn from them (with noise, at
/// the spacing of its evaluations) reach the goal. All metrics larger = better; `goal` in the same
/// sense. Total weight 1; kNever beyond `horizon` epochs. The same input gives the same samples.
EpochSamples curve_futures(const LearningCurve& curve, std::span<const FittedCurve> fits,
                           const TrainingGoal& goal, double horizon);

/// What is known without looking at the curve: of a training that goes on, each share of its way is
/// as likely to be behind it, so that twice as long is needed with probability 1/2, n times as long
/// with 1/n (Gott 1993, Nature 363, 315). Total weight 1.
EpochSamples futures_by_age(double epochs, double horizon);

}  // namespace lapcast

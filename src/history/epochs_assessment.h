#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/seconds.h"
#include "forecast/epochs_needed.h"
#include "history/assessment.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a run and the others of its program say about the epochs that it needs.
struct EpochsAssessment {
  LearningCurve curve;  // the part of the run's curve that counts; empty where it has none
  Result<EpochsNeeded> needed;
  /// Gives the epochs after which the run really reached the goal, whatever first_epochs is; absent
  /// where it did not.
  std::optional<double> real;
};

/// Says which goal is assessed, and from how much of the run.
struct EpochsOptions {
  TrainingGoal goal;
  /// Limits the epochs of the whole training. With 0 the run's plan is the limit; there is none
  /// without a plan, or when the run has trained all of it.
  std::int64_t max_epochs = 0;
  /// Above 0, assesses the run as it was after that many epochs; then only other runs that started
  /// before it count.
  std::int64_t first_epochs = 0;
};

/// Assesses the epochs that a run needs, from its curve and from those of runs of the same program
/// (are_same_program()) in `others`. The run itself and runs of other programs do not count.
EpochsAssessment assess_epochs(const Run& run, const EpochsOptions& options,
                               std::span<const Run> others);

/// Returns how many epochs to plan for a training until the goal: the median, rounded up, at least
/// 1 and at most the horizon.
std::int64_t epochs_to_plan(const EpochsNeeded& needed);

/// Returns the time of the training until the goal, or until the horizon where the goal is not
/// reached: median and 95 % interval. The epochs and the error of the forecast's total are taken as
/// independent. The assessment must have a forecast, for a plan with epochs_to_plan() epochs; other
/// numbers of epochs take time_by_epochs(), with the same relative error. Returns the reason if the
/// plan does not count epochs.
Result<Interval<Seconds>> time_until(const EpochsNeeded& needed, const Assessment& assessment);

/// Returns whether two runs are of one program under the same settings, whatever the machine and
/// the batch size: the arguments and the settings agree except for the setting "batch" and the
/// values of options with "batch" in their name (--batch 128, --batch-size=128).
bool are_same_program(const RunContext& a, const RunContext& b);

}  // namespace lapcast

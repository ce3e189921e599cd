#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "choose/assessment.h"
#include "core/seconds.h"
#include "forecast/epochs_needed.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a run and the others of its program say about the epochs that it needs.
struct EpochsAssessment {
  LearningCurve curve;  // the part of the run's curve that counts; empty where it has none
  Result<EpochsNeeded> needed;
  std::optional<double> real;  // the epochs after which the whole run reached the goal
};

/// Says which goal is assessed, and from how much of the run.
struct EpochsOptions {
  TrainingGoal goal;
  // 0 = as many as the run has planned and not trained yet; without such a plan there is no limit.
  std::int64_t max_epochs = 0;
  // > 0: as if only these had been trained; then only runs that started before this one count.
  std::int64_t first_epochs = 0;
};

/// Assesses a run. `others` may hold the run itself and runs of other programs: they do not count.
EpochsAssessment assess_epochs(const Run& run, const EpochsOptions& options,
                               std::span<const Run> others);

/// Returns how many epochs a training until the goal plans: the median, at most the horizon.
std::int64_t epochs_to_plan(const EpochsNeeded& needed);

/// Returns the time of the training until the goal, or until the horizon where the goal is not
/// reached: the distribution of the epochs and that of the forecast's total, taken as independent.
/// The assessment has a forecast, and its plan has epochs_to_plan() epochs; other numbers of epochs
/// are on the line through it (epoch_line()) and as uncertain in proportion.
Result<Interval<Seconds>> time_until(const EpochsNeeded& needed, const Assessment& assessment);

/// Returns whether two runs are of one program under the same settings, whatever the machine and
/// the batch size: the arguments and the settings agree but for the setting "batch" and for the
/// values of options with "batch" in their name (--batch 128, --batch-size=128).
bool are_same_program(const RunContext& a, const RunContext& b);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "choose/assessment.h"
#include "core/interval.h"
#include "forecast/epochs_needed.h"
#include "run/run.h"

namespace lapcast {

/// What a run and the others of its program say about the epochs that it needs.
struct EpochsAssessment {
  LearningCurve curve;  // of the run, what counts of it; empty where it has none
  Result<EpochsNeeded> needed;
  std::optional<double> real;  // where the whole run reached the goal
};

/// How the run is looked at.
struct EpochsOptions {
  TrainingGoal goal;
  std::int64_t max_epochs = 0;    // 0 = as many as the run has planned and not trained yet;
                                  // none known: no limit
  std::int64_t first_epochs = 0;  // > 0: as if only these had been trained; then only runs that
                                  // started before this one count
};

/// `others` may hold the run itself and runs of other programs: they do not count.
EpochsAssessment assess_epochs(const Run& run, const EpochsOptions& look,
                               std::span<const Run> others);

/// The plan's epochs of a training until the goal: the median, at most the horizon.
std::int64_t epochs_to_plan(const EpochsNeeded& needed);

/// Time of the training until the goal, or until the horizon where it is not reached: the
/// distribution of the epochs and that of the forecast's total, taken as independent. The
/// assessment is one of epochs_to_plan(); other numbers of epochs are on the line through it
/// (epochs_needed.h) and as uncertain in proportion. It has a forecast.
Result<Interval<Seconds>> time_until(const EpochsNeeded& needed, const Assessment& assessment);

/// Whether two runs are of one program under the same settings, whatever the machine and the batch
/// size: the arguments and the settings agree but for the setting "batch" and for the values of
/// options with "batch" in their name (--batch 128, --batch-size=128).
bool are_same_program(const RunContext& a, const RunContext& b);

}  // namespace lapcast

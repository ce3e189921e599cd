#pragma once

#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/seconds.h"
#include "forecast/lap_profile.h"
#include "forecast/validation_schedule.h"
#include "run/run.h"

namespace lapcast {

/// Returns the plan that the user asked for. Missing fields come from the plan that the program
/// reported, then from profile.length and the observed laps. Returns the reason when epochs and
/// steps are both requested, when the length of the training or, for epochs, the laps of an epoch
/// are not known, or when a number is above 10^15.
Result<TrainingPlan> plan_of(const TrainingPlan& requested, const LapProfile& profile);

/// Returns the laps of one epoch, where a partial last batch counts by its samples; 0 = not known.
double laps_per_epoch(const TrainingPlan& plan);
/// Returns the laps of the whole training; 0 = not known.
double laps_of(const TrainingPlan& plan);
/// Returns the epochs of the whole training, a fraction where it counts steps; 0 = not known.
double epochs_of(const TrainingPlan& plan);
/// Returns how many epoch boundaries the plan has: the epochs, rounded up, minus 1, at least 0.
double boundaries_of(const TrainingPlan& plan);
/// Returns when the training validates: as the plan says, else profile.validations.
ValidationSchedule schedule_of(const LapProfile& profile, const TrainingPlan& plan);
/// Returns the number of validations of the whole training, whether or not it has any
/// (cost_of_validation()); 1 where neither the number of epochs nor a schedule in laps is known.
Interval<double> validations_of(const LapProfile& profile, const TrainingPlan& plan);
/// Returns the number of saves of the whole training: by its epochs, else by its laps.
double checkpoints_of(const LapProfile& profile, const TrainingPlan& plan);

}  // namespace lapcast

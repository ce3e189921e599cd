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
/// are not known, or when a number is above 10^15. The epochs and steps are those of the whole
/// training; where the run resumed, laps_done and epochs_done say what was made before it, unless
/// that is the whole plan or more: then the plan is taken for that of the run alone.
Result<TrainingPlan> plan_of(const TrainingPlan& requested, const LapProfile& profile);

/// Returns the laps of one epoch, where a partial last batch counts by its samples; 0 = not known.
double laps_per_epoch(const TrainingPlan& plan);
/// Returns the laps that the run itself makes: those of the training without laps_done; 0 = not
/// known.
double laps_of(const TrainingPlan& plan);
/// Returns the epochs that the run itself makes, a fraction where it counts steps; 0 = not known.
double epochs_of(const TrainingPlan& plan);
/// Returns whether a part of the training was made before the run, which goes on from there.
bool is_resumed(const TrainingPlan& plan);
/// Returns the plan of the same training from its start.
TrainingPlan whole_training(TrainingPlan plan);
/// Returns how many epoch boundaries the run has: its epochs, rounded up, minus 1, at least 0.
double boundaries_of(const TrainingPlan& plan);
/// Returns when the training validates: as the plan says, else profile.validations.
ValidationSchedule schedule_of(const LapProfile& profile, const TrainingPlan& plan);
/// Returns the number of validations that the run itself makes, whether or not it has any
/// (cost_of_validation()); 1 where neither the number of epochs nor a schedule in laps is known.
Interval<double> validations_of(const LapProfile& profile, const TrainingPlan& plan);
/// Returns the number of saves that the run itself makes: by its epochs, else by its laps.
double checkpoints_of(const LapProfile& profile, const TrainingPlan& plan);

}  // namespace lapcast

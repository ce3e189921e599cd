#pragma once

#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "lap/lap_log.h"

namespace lapcast::accuracy {

/// The plan of a whole training in laps like the last one of `log`, which `profile` is of.
/// `last_weight`: what that lap counts for; `rest`: what all laps to come count for. Needs a lap.
TrainingPlan given_plan(const LapLog& log, const LapProfile& profile, double last_weight,
                        double rest);

}  // namespace lapcast::accuracy

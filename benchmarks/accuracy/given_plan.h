#pragma once

#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "lap/lap_log.h"

namespace lapcast::accuracy {

/// Returns the plan of a whole training whose laps are like the last one of `log`, which `profile`
/// describes. `last_weight` is the weight of that lap and `rest` that of all laps to come. Needs a
/// lap.
TrainingPlan given_plan(const LapLog& log, const LapProfile& profile, double last_weight,
                        double rest);

}  // namespace lapcast::accuracy

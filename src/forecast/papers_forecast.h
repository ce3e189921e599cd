#pragma once

#include "forecast/forecast.h"

namespace lapcast {

/// The methods of [M], each with the interval that follows from how much a lap varies: a lap is
/// taken for all others, so its deviation counts in full for each. No spread between runs.
Result<Forecast> papers_forecast(const LapProfile& profile, const TrainingPlan& plan,
                                 Method method);

}  // namespace lapcast

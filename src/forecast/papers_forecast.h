#pragma once

#include "forecast/forecast.h"

namespace lapcast {

/// Forecasts by one of Malta's methods, with the interval that follows from the variation of a lap:
/// one lap is taken for all others, so its deviation counts in full for each. The spread between
/// runs does not count.
Result<Forecast> papers_forecast(const LapProfile& profile, const TrainingPlan& plan,
                                 Method method);

}  // namespace lapcast

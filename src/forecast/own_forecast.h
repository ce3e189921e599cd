#pragma once

#include "forecast/forecast.h"

namespace lapcast {

/// Method::lapcast. Reason when a validation is planned that nothing is known of.
Result<Forecast> own_forecast(const LapProfile& profile, const TrainingPlan& plan,
                              const Priors& priors);

}  // namespace lapcast

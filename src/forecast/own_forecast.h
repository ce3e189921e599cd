#pragma once

#include <optional>

#include "forecast/forecast.h"

namespace lapcast {

/// Forecasts by Method::lapcast. Returns the reason when the cost of a planned validation is not
/// known.
Result<Forecast> own_forecast(const LapProfile& profile, const TrainingPlan& plan,
                              const Priors& priors);

// The functions below are also used by the forecast of a run under way.

/// Returns the number of validations of the whole training; one where epochs are not known.
Interval<double> validations_of(const LapProfile& profile, const TrainingPlan& plan);
/// Returns how many epoch boundaries the plan has: epochs - 1.
double boundaries_of(const TrainingPlan& plan);
/// Returns the cost of one validation of the plan's samples; nothing when the training has none,
/// and the reason when the cost is not known.
Result<std::optional<ValidationCost>> cost_of_validation(const LapProfile& profile,
                                                         const TrainingPlan& plan,
                                                         const Priors& priors);
/// Returns the time of so many validations, among them the first and the last of a training.
Interval<Seconds> cost_of_all(const ValidationCost& cost, double count);
/// Returns the time of one epoch boundary, measured or assumed.
Interval<Seconds> cost_of_boundary(const LapProfile& profile, const Priors& priors);

}  // namespace lapcast

#pragma once

#include <optional>

#include "forecast/forecast.h"

namespace lapcast {

/// Method::lapcast. Reason when a validation is planned that nothing is known of.
Result<Forecast> own_forecast(const LapProfile& profile, const TrainingPlan& plan,
                              const Priors& priors);

// What it is made of, for the forecast of a run under way too.

/// Validations of the whole training; at least one where epochs are not known.
Interval<double> validations_of(const LapProfile& profile, const TrainingPlan& plan);
/// Times that one epoch follows another.
double boundaries_of(const TrainingPlan& plan);
/// One validation of the plan's samples; nothing when the training has none, the reason when
/// nothing is known of it.
Result<std::optional<ValidationCost>> cost_of_validation(const LapProfile& profile,
                                                         const TrainingPlan& plan,
                                                         const Priors& priors);
/// So many validations, the first and the last of a training among them.
Interval<Seconds> cost_of_all(const ValidationCost& cost, double count);
/// One epoch boundary, as measured or assumed.
Interval<Seconds> cost_of_boundary(const LapProfile& profile, const Priors& priors);

}  // namespace lapcast

#pragma once

#include <functional>
#include <optional>

#include "core/error.h"
#include "core/seconds.h"
#include "forecast/forecast.h"
#include "history/assessment.h"

namespace lapcast {

/// Gives the time of a training by its number of epochs, 1 or more; infinite where it cannot be
/// forecast.
using TimeByEpochs = std::function<Seconds(double epochs)>;

/// Returns the middle of the forecast of a run for any plan, made like that of the assessment: for
/// the assessment's own plan it is the same. The assessment must have a forecast. Returns the
/// reason where the plan cannot be forecast.
Result<Seconds> time_of(const Assessment& assessment, const TrainingPlan& plan);

/// Returns time_of() the whole training where the run resumed and made only the rest of it; nothing
/// for any other run, or without a forecast.
std::optional<Seconds> time_of_whole(const Assessment& assessment);

/// Returns time_of() the assessment's plan with any number of epochs. Parts of an epoch count in
/// proportion, and the least is one epoch. Returns nothing where the plan counts steps, or nothing
/// is forecast.
TimeByEpochs time_by_epochs(const Assessment& assessment);

}  // namespace lapcast

#pragma once

#include <vector>

#include "accuracy/probe.h"
#include "core/interval.h"
#include "forecast/past_forecasts.h"

namespace lapcast::accuracy {

/// How the forecasts of finished runs, stopped after as many units, turned out: what a forecast may
/// learn from.
using History = PastForecasts;

/// lapcast's forecast of the total, run_start to run_stop, as the product makes it.
Result<Interval<Seconds>> ours(const Probe& probe, const History& history);

/// The probe as a precedent, of which the whole run is known. Reason when nothing can be forecast.
Result<PastForecast> precedent_of(const Probe& probe);

}  // namespace lapcast::accuracy

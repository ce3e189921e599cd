#pragma once

#include <vector>

#include "accuracy/probe.h"
#include "core/seconds.h"
#include "history/past_forecasts.h"

namespace lapcast::accuracy {

/// Holds how the forecasts of finished runs, stopped after the same number of units, turned out. A
/// forecast may learn from it.
using History = PastForecasts;

/// Returns lapcast's forecast of the total, run_start to run_stop, as the product makes it.
Result<Interval<Seconds>> ours(const Probe& probe, const History& history);

/// Returns the probe as a past forecast, whose whole run is known, or a Reason when it has no
/// forecast.
Result<PastForecast> past_forecast_of(const Probe& probe);

}  // namespace lapcast::accuracy

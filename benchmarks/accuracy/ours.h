#pragma once

#include <vector>

#include "accuracy/probe.h"
#include "core/interval.h"
#include "forecast/precedent.h"

namespace lapcast::accuracy {

/// How the forecasts of finished runs, stopped after as many units, turned out: what a forecast may
/// learn from.
using History = Precedents;

/// lapcast's forecast of the total, run_start to run_stop, as the product makes it.
Result<Interval<Seconds>> ours(const Probe& probe, const History& history);

/// The probe as a precedent, of which the whole run is known. Reason when nothing can be forecast.
Result<Precedent> precedent_of(const Probe& probe);

}  // namespace lapcast::accuracy

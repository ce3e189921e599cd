#pragma once

#include <memory>

#include "core/seconds.h"
#include "probe/ids_and_time.h"
#include "probe/judge.h"
#include "probe/request.h"
#include "probe/sparing_forecast.h"

namespace lapcast {

/// Returns the judge of a watched run (request.watch), which forecasts the run while it is under
/// way. It ends the run, or warns, when a limit is reached or the forecast's lower bound reaches
/// it. Without laps only the clock counts. The request must outlive the judge. The program was
/// started at started_ns; `clock` serves to limit the time that forecasts take.
std::unique_ptr<Judge> watch_judge(const ProbeRequest& request, MonotonicNs started_ns,
                                   NsClock clock = monotonic_ns);

}  // namespace lapcast

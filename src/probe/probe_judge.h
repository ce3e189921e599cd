#pragma once

#include <memory>

#include "core/seconds.h"
#include "probe/ids_and_time.h"
#include "probe/judge.h"
#include "probe/request.h"
#include "probe/sparing_forecast.h"

namespace lapcast {

/// Returns the judge of a probe. It ends the probe when its budget is spent or its laps are enough;
/// in the latter case it first waits for a short validation if the program can run one, else for
/// the end of an epoch that is nearly over. It ends a run that searches the number of epochs when
/// that is out of patience. The request must outlive the judge. The program was started at
/// started_ns; `clock` serves to limit the time that forecasts take.
std::unique_ptr<Judge> probe_judge(const ProbeRequest& request, MonotonicNs started_ns,
                                   NsClock clock = monotonic_ns);

}  // namespace lapcast

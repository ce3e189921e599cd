#pragma once

#include <memory>

#include "core/seconds.h"
#include "probe/ids_and_time.h"
#include "probe/judge.h"
#include "probe/request.h"
#include "probe/sparing_forecast.h"

namespace lapcast {

/// Returns the judge that ends a probe when its laps are enough, after a short validation where the
/// program can run one, else after an epoch that is nearly over, or when its budget is spent. It
/// ends a run that has to find the number of epochs when that is out of patience. The request has
/// to outlive the judge. The program was started at started_ns; `clock` limits the time that
/// forecasts take.
std::unique_ptr<Judge> probe_judge(const ProbeRequest& request, MonotonicNs started_ns,
                                   NsClock clock = monotonic_ns);

}  // namespace lapcast

#pragma once

#include "core/interval.h"
#include "core/result.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "forecast/priors.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Says how far a run has come.
struct RunProgress {
  Seconds elapsed{0};     // since the start of the process
  Seconds before_log{0};  // start of the process to time 0 of its log
};

/// Returns the time of the whole run from start to end with its 95 % interval: the known time until
/// the last event, and the rest of the plan by the profile of what was observed. The interval
/// narrows as the run goes on; the rest may differ from what was observed by the priors' spread
/// between runs (docs/watch.md). No bound is below `elapsed`. Returns the reason when the length of
/// the plan or the cost of a planned validation is not known.
Result<Interval<Seconds>> forecast_under_way(const LapProfile& profile, const TrainingPlan& plan,
                                             const LapLog& log, const RunProgress& progress,
                                             const Priors& priors = Priors{});

}  // namespace lapcast

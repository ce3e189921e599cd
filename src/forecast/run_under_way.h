#pragma once

#include "core/interval.h"
#include "core/result.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "forecast/priors.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Where a run under way stands.
struct Standing {
  Seconds elapsed{0};     // since the start of the process
  Seconds before_log{0};  // start of the process to time 0 of its log
};

/// How long this run will have taken in all, from start to end, with its 95 % interval: what it
/// took until the last event, which is known, and what is left of the plan by the profile of what
/// was seen. It narrows as the run goes on. What is left may differ from what was seen by the
/// priors' spread between runs (docs/watch.md). Never below `elapsed`.
/// Reason when the length of the plan or the cost of a planned validation is not known.
Result<Interval<Seconds>> forecast_under_way(const LapProfile& profile, const TrainingPlan& plan,
                                             const LapLog& log, const Standing& standing,
                                             const Priors& priors = Priors{});

}  // namespace lapcast

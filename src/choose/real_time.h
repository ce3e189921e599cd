#pragma once

#include <cstdint>
#include <optional>

#include "core/seconds.h"
#include "forecast/forecast.h"
#include "run/run.h"

namespace lapcast {

/// How long a run to its end took, process start to end; when it trained more than `epochs`
/// epochs, how long it would have taken had it ended after that many: the time until the next
/// epoch began, and its tear-down. `epochs` 0 = as many as it trained.
Seconds real_time(const Run& run, std::int64_t epochs);

/// How long the training of a plan really took in a run that ended by itself: where all its laps
/// are those of the plan, or those of as many epochs, to 1 % or one lap. Nothing where they are
/// not.
std::optional<Seconds> real_time_of(const Run& run, const TrainingPlan& plan);

}  // namespace lapcast

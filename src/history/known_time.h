#pragma once

#include <optional>

#include "core/seconds.h"
#include "history/assessment.h"
#include "run/run.h"

namespace lapcast {

/// Returns the assessment of a run with what is known of it: where the run was seen to the end of
/// its own plan, the middle of the forecast of that plan is the time that it took, with its parts
/// as measured, and the forecasts of other plans go on from there. The interval is that of another
/// run. Returns the assessment unchanged for any other run, for other conditions than as measured,
/// for the papers' methods, and where the next run is known to start otherwise, so that it takes
/// 10 % more or less.
Assessment with_known_time(Assessment assessment, const Run& run);

/// Returns the time that the run took, if it was seen to the end of the assessment's plan and the
/// forecast is that time; else nothing.
std::optional<Seconds> known_time(const Run& run, const Assessment& assessment);

/// Returns the assessment of this run itself, instead of the next one: where known_time() is known,
/// the time and its parts have no interval.
Assessment of_this_run(Assessment assessment, const Run& run);

}  // namespace lapcast

#pragma once

#include <string>

#include "forecast/lap_profile.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Returns what a user should know of the processes that worked for a program, as those of a loader
/// do, for its end: that they were alive at the last lap of a run that was stopped, whose tear-down
/// is therefore not known, or for how long the program waited for them at its own end. Returns an
/// empty text where no sample of the log has such processes, or the wait was short.
std::string describe_workers(const LapLog& log, const LapProfile& profile);

}  // namespace lapcast

#pragma once

#include <string>

#include "forecast/lap_profile.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Returns what a user should know about a program's worker processes, such as those of a loader,
/// at its end: that they were alive at the last lap of a stopped run, whose tear-down is therefore
/// not known, or how long the program waited for them when it ended by itself. Returns an empty
/// text if no sample of the log has such processes, or the wait was short.
std::string describe_workers(const LapLog& log, const LapProfile& profile);

}  // namespace lapcast

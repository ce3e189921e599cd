#pragma once

#include <string>
#include <vector>

#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

/// What a user should know about how a run went: a damaged log, processes that had to be killed, a
/// program that resumed. `log`: of all its processes.
std::vector<std::string> warnings_about(const Run& run, const LapLog& log, int killed_processes);

/// Of files that a probed program wrote beyond its run folder; empty = none.
std::string warning_of_foreign_files(const std::vector<std::string>& files);

}  // namespace lapcast

#pragma once

#include <string>
#include <vector>

#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

/// Returns what a user should know about how a run went: a damaged log, processes that had to be
/// killed, a program that resumed. `log` is that of all its processes.
std::vector<std::string> warnings_about(const Run& run, const LapLog& log, int killed_processes);

/// Returns a warning that names the files which a probed program wrote beyond its run folder; empty
/// when there are none.
std::string warning_of_foreign_files(const std::vector<std::string>& files);

}  // namespace lapcast

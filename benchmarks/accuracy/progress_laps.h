#pragma once

#include "accuracy/logged_run.h"
#include "lap/lap_log.h"

namespace lapcast::accuracy {

/// Replaces the epochs of `log` by the progress lines that the run printed within its first epochs:
/// each line is a lap, and the rest of an epoch another. Keeps the log, with a lap for each epoch,
/// when the run printed no lines or lines and epochs do not agree. Returns whether it changed the
/// log.
bool take_progress_laps(const LoggedRun& run, LapLog& log);

}  // namespace lapcast::accuracy

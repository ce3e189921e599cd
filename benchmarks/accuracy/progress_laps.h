#pragma once

#include "accuracy/logged_run.h"
#include "lap/lap_log.h"

namespace lapcast::accuracy {

/// Of a run that printed its progress within epochs the log of its first epochs, in which each of
/// those lines is a lap, and what is left to the end of an epoch another; otherwise, or where lines
/// and epochs do not fit together, the log as it is, with a lap for each epoch. Says whether it
/// changed it.
bool take_progress_laps(const LoggedRun& run, LapLog& log);

}  // namespace lapcast::accuracy

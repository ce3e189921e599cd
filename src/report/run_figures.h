#pragma once

#include <string>

#include "forecast/lap_profile.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Returns the outcome in words; what an earlier version said of the precision of laps that shared
/// observations is replaced by what they say now.
std::string outcome_as_judged_now(const Run& run, const LapProfile* profile);

/// Returns what happened in a run, with its warnings as notes. Callers pass masked(run), and its
/// profile unless it has none (nullptr).
Table run_figures(const Run& run, const LapProfile* profile);

/// Returns what the laps of a run say.
Table profile_figures(const LapProfile& profile);

/// Returns the steps that were needed before the start on a remote machine; only JSON has them.
Table preparation_table(const Run& run);

}  // namespace lapcast

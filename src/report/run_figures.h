#pragma once

#include <string>

#include "forecast/lap_profile.h"
#include "lap/lap_log.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Returns the outcome in words. The precision of laps that share observations, which an earlier
/// version may have computed differently, is computed again.
std::string outcome_as_judged_now(const Run& run, const LapProfile* profile);

/// Returns the figures of a run, with its warnings as notes. Callers pass masked(run), and its
/// profile, or nullptr if it has none.
Table run_figures(const Run& run, const LapProfile* profile);

/// Returns the figures of a lap profile, with what the log's program reported of exchanges between
/// its workers.
Table profile_figures(const LapProfile& profile, const LapLog& log);

/// Returns the preparation before the start on a remote machine, for JSON only.
Table preparation_table(const Run& run);

}  // namespace lapcast

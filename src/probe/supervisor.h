#pragma once

#include "probe/interrupt.h"
#include "probe/probe_request.h"
#include "run/run.h"

namespace lapcast {

/// Runs the program of a request under observation and returns all that was learned, whatever
/// happened to it. Nothing of it is left running. `{run_dir}` in its arguments is its own empty run
/// folder, which LAPCAST_RUN_DIR names too. Throws Error only when the machine refuses what lapcast
/// itself needs (a folder, a pipe).
Run supervise(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener);

}  // namespace lapcast

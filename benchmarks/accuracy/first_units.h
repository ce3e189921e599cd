#pragma once

#include <cstddef>

#include "accuracy/probe.h"
#include "core/error.h"
#include "run/run.h"

namespace lapcast::accuracy {

/// Returns a probe that was stopped after the run's first `seen` units, which are its laps. Returns
/// a Reason when the run cannot be judged: the number of units is not given, too few of them are
/// timed, their times do not ascend, or nothing is left to do.
Result<Probe> probe_of(const LoggedRun& run, std::size_t seen);

/// Returns the whole run as the importer makes it of the log, its end included.
Run whole_run(const LoggedRun& run);

}  // namespace lapcast::accuracy

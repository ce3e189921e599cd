#pragma once

#include <cstddef>

#include "accuracy/probe.h"
#include "core/result.h"

namespace lapcast::accuracy {

/// A probe that was stopped when the run's first `seen` units were over: its laps are the units.
/// Reason when it cannot be judged: no number of units is given, too few of them are timed, their
/// times do not ascend, nothing was left to do.
Result<Probe> probe_of(const LoggedRun& run, std::size_t seen);

}  // namespace lapcast::accuracy

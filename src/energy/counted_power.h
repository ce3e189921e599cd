#pragma once

#include <optional>

#include "lap/lap_log.h"

namespace lapcast {

/// Returns the mean power in W in a stretch of a log, by the samples of one kind of counter, each
/// of which counts for the time since the one before. Returns nothing if they cover less than half
/// of the stretch.
std::optional<double> mean_watts(const LapLog& log, LoadSample::Field LoadSample::*milliwatts,
                                 const Span& stretch);

/// Returns the time from the start of a run to its first lap; nothing if it has no lap.
std::optional<Span> start_up_of(const LapLog& log);

/// Holds the power of GPUs while nothing computes on them.
struct IdlePower {
  double watts = 0;    // of all together
  double seconds = 0;  // in which it was seen
};

/// Returns the power of the GPUs in a run while no process computed on them, such as before a
/// program first uses them. Returns nothing if the driver never named the program's processes,
/// because it may not see them, or if every sample has a process.
std::optional<IdlePower> idle_power_of(const LapLog& log);

}  // namespace lapcast

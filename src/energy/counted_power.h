#pragma once

#include <optional>

#include "lap/lap_log.h"

namespace lapcast {

/// Returns the mean power in W in a stretch of a log, by the samples of one kind of counter, each
/// of which counts for the time since the one before. Returns nothing where they cover less than
/// half of the stretch.
std::optional<double> mean_watts(const LapLog& log, LoadSample::Field LoadSample::*milliwatts,
                                 const Span& stretch);

/// Returns the time from the start of a run to its first lap; nothing where it has no lap.
std::optional<Span> start_up_of(const LapLog& log);

/// Holds the power of GPUs while nothing computes on them.
struct IdlePower {
  double watts = 0;    // of all together
  double seconds = 0;  // in which it was seen
};

/// Returns what the GPUs took in a run while no process computed on them, as before a program first
/// uses them. Returns nothing where the driver never named the program's processes, so that it may
/// not see them, or where a process was there in each sample.
std::optional<IdlePower> idle_power_of(const LapLog& log);

}  // namespace lapcast

#pragma once

#include <vector>

#include "forecast/lap_series.h"

namespace lapcast {

/// Holds the mean of the steady laps of a slice of time. Slices from different moments show how the
/// speed of a machine wanders.
struct LapSlice {
  double begin_s = 0;  // since time 0 of the log, pauses included
  double end_s = 0;
  double lap_s = 0;  // mean of a full lap
  double error = 0;  // its relative standard error, from the laps themselves
};
/// Returns the steady laps in slices: one for each time between pauses, and up to eight for a long
/// one. Stalls that do not recur are left out. The error counts observations (lap_observations.h).
std::vector<LapSlice> slices_of(const Series& series);

}  // namespace lapcast

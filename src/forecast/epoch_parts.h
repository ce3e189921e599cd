#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/interval.h"
#include "forecast/lap_series.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Time from the last lap of an epoch to the first of the next that is neither validation nor
/// checkpoint, for every boundary seen; with `steady_lap` > 0 also what that first lap took longer
/// than a steady one of full_samples. An epoch of which only the begin was seen ends a boundary
/// too, where steady_lap is 0.
std::vector<double> epoch_boundaries(const LapLog& log, std::span<const double> costs,
                                     const PausedTime& paused, double steady_lap,
                                     double full_samples);

/// Whole epochs, each to the begin of the next; of the last one with the validations and
/// checkpoints that follow it [M eq. 5.1].
std::vector<Seconds> whole_epochs(const LapLog& log, const PausedTime& paused);

/// One save; absent when none was seen.
std::optional<Interval<Seconds>> checkpoint_cost(const LapLog& log);
/// As seen over whole epochs, or over laps where no epoch is whole and laps_per_epoch is known.
double checkpoints_per_epoch(const LapLog& log, double laps_per_epoch);

}  // namespace lapcast

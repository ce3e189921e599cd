#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/interval.h"
#include "forecast/lap_series.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Returns for every boundary the seconds from the last lap of an epoch to the first of the next,
/// without validations and checkpoints; with `steady_lap` > 0 also the extra time of that first lap
/// over a steady one of full_samples. Where steady_lap is 0, an epoch without laps ends a boundary
/// too.
std::vector<double> epoch_boundaries(const LapLog& log, std::span<const double> costs,
                                     const PausedTime& paused, double steady_lap,
                                     double full_samples);

/// Returns the times of whole epochs, each to the begin of the next; the last one includes the
/// validations and checkpoints that follow it (Malta 2021, eq. 5.1).
std::vector<Seconds> whole_epochs(const LapLog& log, const PausedTime& paused);

/// Returns the time of one save; nothing when none was observed.
std::optional<Interval<Seconds>> checkpoint_cost(const LapLog& log);
/// Returns the saves per epoch over whole epochs, or over laps where no epoch is whole and
/// laps_per_epoch is known.
double checkpoints_per_epoch(const LapLog& log, double laps_per_epoch);

}  // namespace lapcast

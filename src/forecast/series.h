#pragma once

#include <cstddef>
#include <vector>

#include "forecast/lap_series.h"
#include "lap/lap_log.h"
#include "stats/steady_state.h"

namespace lapcast {

/// A log taken apart, once for all that is found in it. Refers to the log.
struct Series {
  explicit Series(const LapLog& log);

  const LapLog& log;
  PausedTime paused;
  std::vector<double> costs;  // of all laps
  FullLaps full;
  bool coarse;        // every lap is a whole epoch
  SteadyState state;  // of full.seconds

  /// Index into log.laps.
  std::size_t first_steady_lap() const { return full.index[state.begin]; }
  /// Full batches that the lap counts for.
  double share(std::size_t lap) const {
    return full.samples > 0 ? log.laps[lap].samples / full.samples : 1;
  }
  /// The lap's place in a run whose first laps of epochs count as overhead.
  bool is_overhead(std::size_t lap) const {
    return full.without_first_of_epoch && lap > 0 && log.laps[lap].epoch != log.laps[lap - 1].epoch;
  }
};

/// The steady laps' mean, of coarse laps as coarse_mean(). Needs a lap.
SteadyMean mean_of(const Series& series);

}  // namespace lapcast

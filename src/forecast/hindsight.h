#pragma once

#include <optional>
#include <span>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// What a run's forecast said at some share of the run, held against what happened.
struct Hindsight {
  double share = 0;                        // of the run's time: 0.25
  std::optional<ForecastMoment> forecast;  // the last one until then; none = there was none yet
  double error = 0;                        // forecast over real time, less 1
  bool inside = false;                     // the interval held the real time
};

/// At 1, 5, 10, 25 and 50 % of a run that took `real`. `forecasts`: in the order of time.
std::vector<Hindsight> hindsight(std::span<const ForecastMoment> forecasts, Seconds real);

}  // namespace lapcast

#pragma once

#include <optional>
#include <vector>

#include "core/seconds.h"
#include "spot/availability_trace.h"
#include "spot/spot_forecast.h"
#include "spot/spot_job.h"
#include "spot/spot_supply.h"

namespace lapcast {

/// Says how often spot machines are interrupted and what that does to a training, as far as the
/// user says it.
struct SpotAssumptions {
  bool saves = true;                  // false: the training begins again after each interruption
  std::optional<Seconds> checkpoint;  // that one takes; nothing = as measured of the program
  std::optional<Seconds> interval;    // of work between two; nothing = the best one
  std::optional<Seconds> restart;     // on a machine that is ready, until work goes on; nothing =
                                      // the measured start of the program
  bool saves_at_notice = false;       // the program saves when its machine says that it will end
  std::optional<Seconds> between_interruptions;  // their mean; nothing = what the offer says
  std::optional<Seconds> wait;      // for the next machine, on average; nothing = it is there
  std::vector<PresenceSpan> trace;  // of all spot machines, instead of a rate; empty = none
};

/// Holds the simulated training of a candidate on spot machines of one kind.
struct SpotTraining {
  SpotJob job;  // with the middle of the candidate's training time as work
  bool saves = true;
  Seconds between_interruptions{0};  // on average
  SpotSupply supply;
  SpotForecast forecast;  // by forecast_of_cases()
  SpotCases cases;        // by the cases of the candidate's training time
};

}  // namespace lapcast

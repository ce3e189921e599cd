#pragma once

#include <optional>
#include <vector>

#include "core/seconds.h"
#include "spot/availability_trace.h"
#include "spot/spot_forecast.h"
#include "spot/spot_job.h"
#include "spot/spot_supply.h"

namespace lapcast {

/// Holds what the user says about interruptions of spot machines and their effect on a training.
struct SpotAssumptions {
  bool saves = true;  // false: the training starts from scratch after each interruption
  std::optional<Seconds> checkpoint;  // time of one; nullopt = as measured in the program
  std::optional<Seconds> interval;    // work between two; nullopt = the best one
  std::optional<Seconds> restart;     // from a ready machine until work continues; nullopt = the
                                      // measured start of the program
  bool saves_at_notice = false;       // the program saves when its machine announces its end
  std::optional<Seconds> notice;      // how long before its end; nullopt = as the offer says
  std::optional<Seconds> between_interruptions;  // mean; nullopt = as the offer says
  std::optional<Seconds> wait;                   // mean time until the next machine; nullopt = none
  std::vector<PresenceSpan> trace;  // of all spot machines, instead of a rate; empty = none
};

/// Holds the simulated training of a candidate on spot machines of one kind.
struct SpotTraining {
  SpotJob job;  // its work is the mid of the candidate's training time
  bool saves = true;
  Seconds between_interruptions{0};  // mean
  SpotSupply supply;
  SpotForecast forecast;  // by forecast_of_cases()
  SpotCases cases;        // one for each case of the time of one run
};

}  // namespace lapcast

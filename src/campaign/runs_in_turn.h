#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/measuring_session.h"
#include "campaign/repeat_campaign.h"
#include "core/seconds.h"
#include "store/store.h"

namespace lapcast {

/// Asks for runs of two candidates in turn, so that changes of the machine affect both alike.
struct TurnsRequest {
  ProbeRequest probe;  // what the runs share
  RunContext base;
  RunContext other;
  std::size_t repeats = 5;  // of each
  RepeatValue time;         // of the whole training, from a run
  /// Returns whether the budget pays for that many more runs.
  std::function<bool(std::size_t runs)> can_pay;
  std::vector<PendingRun> pending = {};  // those of the set are followed, not repeated
};

/// Covers the runs of both candidates, including those of earlier commands.
struct TurnsFindings {
  std::size_t pairs = 0;
  std::optional<Interval<double>> ratio;  // other over base (ratio_of_pairs()); none until all ran
  std::string reason;                     // why there is no ratio
  bool cannot_pay = false;
};

/// Completes the set of runs, and marks it as finished when all were made. Throws Error as
/// Campaign::run() does.
TurnsFindings run_in_turn(const TurnsRequest& request, Sweep set, MeasuringSession& session);

}  // namespace lapcast

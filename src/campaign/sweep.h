#pragma once

#include <optional>
#include <vector>

#include "campaign/measuring.h"
#include "campaign/race_campaign.h"
#include "campaign/sweep_plan.h"
#include "history/assessment.h"
#include "report/sweep_report.h"
#include "store/store.h"

namespace lapcast {

struct RaceFindings {
  RaceResult race;
  std::vector<Assessment> assessments;  // of the rows of the race
  std::vector<RacePick> picks;
  RaceBill bill;
};

struct SweepResult {
  Sweep sweep;
  std::vector<Run> runs;                // the newest of each candidate and kind; empty after a race
  std::vector<Assessment> assessments;  // of the runs
  std::optional<RaceFindings> race;
  bool any_failed = false;
  bool interrupted = false;
};

/// Resumes the sweep that the plan belongs to, or begins it: as the request asks, it finds the
/// numbers of epochs, probes or races the candidates, and confirms the first ones. Throws Error
/// (interrupted) when the user interrupts the wait for another lapcast that measures the same, and
/// Error as Campaign::run() does.
SweepResult run_sweep(const SweepPlan& plan, const MeasuringTools& tools);

}  // namespace lapcast

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

/// Holds what a race found.
struct RaceFindings {
  RaceResult race;
  std::vector<Assessment> assessments;  // of the rows of the race
  std::vector<RacePick> picks;
  RaceBill bill;
};

/// Holds what came of a sweep or a race.
struct SweepResult {
  Sweep sweep;
  std::vector<Run> runs;                // the newest of each candidate and kind; empty after a race
  std::vector<Assessment> assessments;  // of the runs
  std::optional<RaceFindings> race;
  bool any_failed = false;
  bool interrupted = false;
};

/// Goes on with the sweep that the plan belongs to, or begins one: finds the numbers of epochs,
/// probes or races, and confirms, as was asked. Throws Error (interrupted) when the user interrupts
/// the wait for another lapcast that measures the same, and Error as Campaign::run() does.
SweepResult run_sweep(const SweepPlan& plan, const MeasuringTools& tools);

}  // namespace lapcast

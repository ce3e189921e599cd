#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "campaign/measuring.h"
#include "campaign/repeat_campaign.h"
#include "campaign/sweep_plan.h"
#include "rank/repeat_summary.h"
#include "stats/intervals.h"
#include "store/store.h"

namespace lapcast {

struct FleetRepeatRequest {
  SweepRequest sweep;         // its program, machine types and settings; nothing is raced
  RepeatRule rule;            // for each candidate
  std::size_t warm_ups = 1;   // first runs of each candidate, which are marked and do not count
  std::string baseline = {};  // "cpu" or "cpu,batch=128"; empty = the first candidate
  std::string server = {};    // machine type of RepeatRow::over_server; empty = none
  RepeatValue value = {};     // must be known as the rule asks; empty = the time of the run
};

/// Holds a checked request with its candidates.
struct FleetRepeatPlan {
  FleetRepeatRequest request;
  SweepPlan sweep;           // its candidates have no setting `seed`
  std::size_t baseline = 0;  // index of a candidate
};

/// Reads the fleet file and checks that the runs can begin. A placeholder {seed} in the program
/// needs no values: it becomes the number of the run. Throws Error as plan_sweep() does, and
/// (usage) when no candidate is the requested baseline.
FleetRepeatPlan plan_repeats(FleetRepeatRequest request);

/// Covers the runs of all candidates, including those of earlier commands.
struct FleetRepeatResult {
  Sweep set;
  std::vector<RepeatGroup> groups;  // one for each candidate, in the order of the fleet
  RepeatSummary summary;            // of the groups
  bool any_failed = false;
  bool interrupted = false;
};

/// Returns whether run_repeats() made the set, which may have several machine types or settings.
bool is_fleet_set(const Sweep& set);

/// Resumes the set that the plan belongs to, or begins it: repeats the run of every candidate until
/// its mean time is known as the rule asks. Throws Error (interrupted) when the user interrupts the
/// wait for another lapcast that measures the same, and Error as Campaign::run() does.
FleetRepeatResult run_repeats(const FleetRepeatPlan& plan, const MeasuringTools& tools);

}  // namespace lapcast

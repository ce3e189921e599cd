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

/// Says what is run to its end repeatedly, where, and how often.
struct FleetRepeatRequest {
  SweepRequest sweep;         // its program, machine types and settings; nothing is raced
  RepeatRule rule;            // for each candidate
  std::size_t warm_ups = 1;   // first runs of each candidate, which are marked and do not count
  std::string baseline = {};  // "cpu" or "cpu,batch=128"; empty = the first candidate
  std::string server = {};    // machine type of RepeatRow::over_server; empty = none
  RepeatValue value = {};     // has to be known as the rule asks; empty = the time of the run
};

/// Holds a request that was checked, with its candidates.
struct FleetRepeatPlan {
  FleetRepeatRequest request;
  SweepPlan sweep;           // its candidates have no setting `seed`
  std::size_t baseline = 0;  // index of a candidate
};

/// Reads the fleet file and checks that the runs can begin. A placeholder {seed} in the program
/// needs no values: it becomes the number of the run. Throws Error as plan_sweep() does, and
/// (usage) when no candidate is the baseline that was asked for.
FleetRepeatPlan plan_repeats(FleetRepeatRequest request);

/// Holds the repeated runs of all candidates, those of earlier commands included.
struct FleetRepeatResult {
  Sweep set;
  std::vector<RepeatGroup> groups;  // one for each candidate, in the order of the fleet
  RepeatSummary summary;            // of the groups
  bool any_failed = false;
  bool interrupted = false;
};

/// Returns whether the set is one of run_repeats(), and so of several machine types or settings.
bool is_fleet_set(const Sweep& set);

/// Goes on with the set that the plan belongs to, or begins one: runs every candidate to its end
/// until its mean time is known as the rule asks. Throws Error (interrupted) when the user
/// interrupts the wait for another lapcast that measures the same, and Error as Campaign::run()
/// does.
FleetRepeatResult run_repeats(const FleetRepeatPlan& plan, const MeasuringTools& tools);

}  // namespace lapcast

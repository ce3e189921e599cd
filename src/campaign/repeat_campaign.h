#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "stats/intervals.h"

namespace lapcast {

/// Returns the figure of a run to its end that has to be known to the precision of a RepeatRule; a
/// run without it has failed.
using RepeatValue = std::function<Result<double>(const Run&)>;

/// Holds a candidate whose program is run to its end again and again, and what is known of it.
struct RepeatedCandidate {
  ProbeRequest request;        // of its next run; {seed} in its program is the number of the run
  std::vector<double> values;  // of the runs that were made before and count
  std::size_t warm_ups = 0;    // runs that were made before and do not count
};

/// Says what came of repeated runs.
struct RepeatsResult {
  bool interrupted = false;
  std::vector<std::string> reasons;  // for each candidate why it has not more runs; empty = enough
};

/// Runs the program of each candidate to its end until the rule is satisfied for it. Its first
/// `warm_ups` runs are marked (RunContext::warm_up) and are not values. Of the candidates that may
/// run, one with the fewest runs is next, in an order that differs from round to round, so that
/// what changes on a machine from hour to hour meets all candidates alike. A run that fails ends
/// the repeats of its candidate, with the reason; others go on. Throws Error as Campaign::run()
/// does.
RepeatsResult run_repeatedly(std::vector<RepeatedCandidate> candidates, const RepeatRule& rule,
                             std::size_t warm_ups, const RepeatValue& value, CampaignTools tools);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "stats/intervals.h"

namespace lapcast {

/// Returns the figure of a run to its end that must be known to the precision of a RepeatRule; a
/// run without it has failed.
using RepeatValue = std::function<Result<double>(const Run&)>;

struct RepeatedCandidate {
  ProbeRequest request;        // of its next run; {seed} in its program is the number of the run
  std::vector<double> values;  // of earlier runs that count
  std::size_t warm_ups = 0;    // earlier runs that do not count
};

struct RepeatsResult {
  bool interrupted = false;
  std::vector<std::string> reasons;  // why each candidate has too few runs; empty = it has enough
};

/// Repeats the whole run of each candidate until the rule is satisfied for it. Its first `warm_ups`
/// runs are marked (RunContext::warm_up) and do not count. The next run is that of a candidate with
/// the fewest runs, in an order that differs from round to round, so that changes of the machine
/// from hour to hour affect all candidates alike. A failed run ends the repeats of its candidate,
/// with the reason; the others go on. Throws Error as Campaign::run() does.
RepeatsResult run_repeatedly(std::vector<RepeatedCandidate> candidates, const RepeatRule& rule,
                             std::size_t warm_ups, const RepeatValue& value, CampaignTools tools);

}  // namespace lapcast

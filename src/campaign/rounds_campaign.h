#pragma once

#include <cstdint>
#include <vector>

#include "campaign/campaign.h"

namespace lapcast {

/// Returns how many more laps a program runs in the next round of a sweep in rounds: as many as
/// take half a second, by the later half of its laps so far, and at least five.
std::int64_t laps_of_next_round(const Run& so_far);

/// Runs each request in `rounds` rounds, so that changes of the machine from minute to minute
/// affect all candidates alike. In its first round a program runs until the stopping rule is
/// satisfied, in each later one a little longer. The next round is that of a request with the
/// fewest rounds, in an order that differs from round to round. Between its rounds a program is
/// suspended; if the suspended ones would not fit in memory, it ends and is started again as
/// another run. If they would not fit on a GPU, or a program lacks memory there beside them, each
/// candidate is measured in one round. A request is run in one piece if its place cannot suspend
/// programs, its machine type is exclusive, or it asks for whole epochs. Throws Error as
/// Campaign::run() does.
CampaignResult run_in_rounds(std::vector<ProbeRequest> requests, int rounds, CampaignTools tools);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <vector>

#include "campaign/campaign.h"

namespace lapcast {

/// Returns how many more laps a program of a sweep in rounds runs in its next round: those of half
/// a second, by the later half of its laps so far, and at least five.
std::int64_t laps_of_next_round(const Run& so_far);

/// Runs each request in `rounds` rounds, so that what changes on the machine from minute to minute
/// meets all candidates alike. In its first round a program runs until the stopping rule is
/// satisfied, in the later ones a little longer. Of those that may run, one with the fewest rounds
/// is next, in an order that differs from round to round. Between its rounds a program is
/// suspended; where the suspended ones would not fit in memory it ends, and begins anew as another
/// run. Where they would not fit on a GPU, or one finds no memory there beside them, each candidate
/// is measured in one round. A request is run once, in one piece, where its place cannot suspend
/// programs, where its machine type is exclusive, and where it asks for whole epochs. Throws Error
/// as Campaign::run() does.
CampaignResult run_in_rounds(std::vector<ProbeRequest> requests, int rounds, CampaignTools tools);

}  // namespace lapcast

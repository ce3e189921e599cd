#pragma once

#include <vector>

#include "choose/contenders.h"
#include "choose/ranking.h"

namespace lapcast {

/// Fills in p_cheapest and p_fastest of all choices and returns the expected regret of the first
/// one by the wish. chosen is in rank order, its relative columns are filled in.
double fill_in_odds(std::vector<Choice>& chosen, const std::vector<Candidate>& candidates,
                    const std::vector<Contender>& contenders, const Preferences& preferences);

}  // namespace lapcast

#pragma once

#include <vector>

#include "choose/ranking.h"

namespace lapcast {

/// Fills in p_cheapest and p_fastest of all choices and returns the expected regret of the first
/// one by the preferences. The choices are in rank order.
double fill_in_odds(std::vector<Choice>& chosen, const Preferences& preferences);

}  // namespace lapcast

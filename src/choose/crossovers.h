#pragma once

#include <vector>

#include "choose/contenders.h"
#include "choose/ranking.h"

namespace lapcast {

/// Where the winner by the wish changes when all trainings get longer or shorter in proportion,
/// counted in epochs of the first choice: every whole number from 1 to 10 times its plan is looked
/// at, or some thousands of them, closer together at the lower end, where there are more. Choices
/// whose time per epoch is not known take no part; without it for the first choice there is none.
std::vector<Crossover> crossovers_of(const std::vector<Choice>& chosen,
                                     const std::vector<Candidate>& candidates,
                                     const std::vector<Contender>& contenders, const Preferences& preferences);

}  // namespace lapcast

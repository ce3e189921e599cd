#pragma once

#include <vector>

#include "choose/ranking.h"

namespace lapcast {

/// Returns where the winner by the preferences changes when all trainings get longer or shorter in
/// proportion, counted in epochs of the first choice. It tries every whole number from 1 to 10
/// times the first choice's plan; of a long plan some thousands of them, which are closer together
/// at the lower end, where winners change more often. Choices whose time per epoch is not known
/// take no part; the result is empty when it is not known for the first choice.
std::vector<Crossover> crossovers_of(const std::vector<Choice>& chosen,
                                     const Preferences& preferences);

}  // namespace lapcast

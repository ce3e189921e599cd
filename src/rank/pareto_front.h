#pragma once

#include <vector>

#include "rank/choice.h"

namespace lapcast {

/// Sets on_pareto_front of every choice: in order of time, a choice is on the front if it is
/// cheaper than all before it, or equal to the last one that was.
void mark_pareto_front(std::vector<Choice>& chosen);

/// Sets on_energy_front of every choice whose energy is known: in order of time, cost and energy, a
/// choice is on the front unless one before it is as cheap and as frugal.
void mark_energy_front(std::vector<Choice>& chosen);

}  // namespace lapcast

#pragma once

#include <vector>

#include "rank/choice.h"

namespace lapcast {

/// Sets on_pareto_front of every choice: going up in time, a choice is on the front when it is
/// cheaper than all before it, or equal to the last one that was.
void mark_pareto_front(std::vector<Choice>& chosen);

/// Sets on_energy_front of every choice whose energy is known: going up in time, then in cost, then
/// in energy, a choice is on the front unless one before it is as cheap and as frugal.
void mark_energy_front(std::vector<Choice>& chosen);

}  // namespace lapcast

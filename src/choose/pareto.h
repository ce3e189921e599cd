#pragma once

#include <vector>

#include "choose/ranking.h"

namespace lapcast {

/// Sets on_pareto_front of every choice: no other is at least as cheap and at least as fast, and
/// one of both truly.
void mark_pareto_front(std::vector<Choice>& chosen);

}  // namespace lapcast

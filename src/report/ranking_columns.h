#pragma once

#include <vector>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns whether all costs are below a cent, in which case tables show the cost of 1000 runs.
bool costs_are_tiny(const Ranking& ranking);

/// Returns whether the choices are for different conditions, so that they cannot be compared.
bool conditions_differ(const Ranking& ranking);

/// Returns whether some choices are on machines that no probe ran on.
bool has_unmeasured(const Ranking& ranking);

/// Returns whether probabilities and regrets of the ranking are meaningful.
bool says_how_sure(const Ranking& ranking);

/// Returns the columns of the choices of a ranking, which must outlive them.
std::vector<ColumnOf<Choice>> choice_columns(const Ranking& ranking);

}  // namespace lapcast

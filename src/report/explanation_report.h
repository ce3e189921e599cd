#pragma once

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns why the first choice of a ranking is the first, in sentences above the columns, and what
/// each other choice would need to be the first (rank/explanation.h), each value next to the
/// present one. If there is nothing to compare, or the ranking is by score, says so.
Table explanation_table(const Ranking& ranking);

/// Returns the lines of the bill of each choice, which sum to its cost. If nothing has a price,
/// says so.
Table bill_table(const Ranking& ranking);

/// Returns the cheapest choices by deadline and way of paying (rank/deadline_costs.h), for JSON
/// only. `preferences` are what the user asked for; the ranking itself has no deadline.
Table deadline_table(const Ranking& ranking, const Preferences& preferences);

}  // namespace lapcast

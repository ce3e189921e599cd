#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns "from 10 epochs on b wins, below it a": which choice is the first from there on, and
/// which one before.
std::string crossover_note(const Crossover& crossover, const Ranking& ranking);

/// Returns the crossovers of a ranking, which only JSON has.
Table crossover_table(const Ranking& ranking);

/// Returns the times of each choice at several numbers of epochs up to twice its own, which only
/// JSON has: what the crossovers compare, to be drawn. Choices whose time by epochs is not known,
/// and those whose interruptions were simulated, are left out.
Table times_by_epochs_table(const Ranking& ranking);

/// Returns time and cost of each choice divided by the lowest of all choices, as in tables 5.7 to
/// 5.13 of Malta 2021, from rankings at several numbers of epochs; `epochs` has that of each. A
/// cell is empty where the choice is not in the ranking.
Table relative_table(const std::vector<const Ranking*>& rankings,
                     const std::vector<std::int64_t>& epochs);

}  // namespace lapcast

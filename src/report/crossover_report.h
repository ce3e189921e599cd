#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns "from 10 epochs on b wins, below it a": the first choice from there on, and the one
/// before.
std::string crossover_note(const Crossover& crossover, const Ranking& ranking);

/// Returns the crossovers of a ranking, for JSON only.
Table crossover_table(const Ranking& ranking);

/// Returns the times of each choice at several numbers of epochs up to twice its own, for JSON
/// only: the data that the crossovers compare, to be drawn. Leaves out choices whose time by epochs
/// is not known, or whose interruptions were simulated.
Table times_by_epochs_table(const Ranking& ranking);

/// Returns time and cost of each choice divided by the lowest of all choices, as in tables 5.7 to
/// 5.13 of Malta 2021, from rankings at several numbers of epochs; `epochs` has that of each. A
/// cell is empty if the choice is not in the ranking.
Table relative_table(const std::vector<const Ranking*>& rankings,
                     const std::vector<std::int64_t>& epochs);

}  // namespace lapcast

#pragma once

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns the table of time, money and energy of the choices whose energy is known, the best
/// first, with their Pareto front, and where the figures come from.
Table energy_table(const Ranking& ranking);

}  // namespace lapcast

#pragma once

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns the table of time, money and energy of the choices with known energy, best first, with
/// their Pareto front and the sources of the figures.
Table energy_table(const Ranking& ranking);

}  // namespace lapcast

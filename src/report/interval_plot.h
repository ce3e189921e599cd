#pragma once

#include <cstddef>

#include "rank/ranking.h"
#include "table/table.h"

namespace lapcast {

/// Returns a table that draws the choices' intervals on one scale with their mids marked: of the
/// cost, or of the time in a ranking by time. The scale begins at 0, or is logarithmic if the
/// largest bound is more than 30 times the smallest. `columns` is the width of the drawing, at
/// least 20; `ascii` draws without Unicode. Only people see it.
Table interval_plot(const Ranking& ranking, std::size_t columns, bool ascii);

}  // namespace lapcast

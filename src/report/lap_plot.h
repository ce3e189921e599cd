#pragma once

#include <span>
#include <vector>

#include "report/run_timeline.h"
#include "table/plot.h"
#include "table/table.h"

namespace lapcast {

/// Returns a drawing of the cost of each lap (as lapcast counts its time) over the time of the run.
/// The scale begins at the shortest lap, and is logarithmic if the longest takes more than 30 times
/// as long. Queued laps that may not be done yet are left out.
Table laps_over_time(const RunTimeline& timeline, const PlotStyle& style);

/// Returns a histogram: ten classes from the shortest lap to the 0.95 quantile, and one for all
/// longer ones. Laps of equal time make a single class.
Table lap_histogram(std::span<const double> seconds, const PlotStyle& style);

/// Returns both drawings of a run; none if it has no laps.
std::vector<Table> lap_plots(const RunTimeline& timeline, const PlotStyle& style);

}  // namespace lapcast

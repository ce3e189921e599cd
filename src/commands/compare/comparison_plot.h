#pragma once

#include <optional>

#include "rank/comparison.h"
#include "report/comparison_report.h"
#include "table/plot.h"
#include "table/table.h"

namespace lapcast {

/// Returns a drawing of two sets on one scale: for each a box from the lower to the upper quartile
/// with its median, and lines to the smallest and the largest value (5 values or more), and below
/// it every value as a mark; digits count several at one place. Returns nullopt without values.
std::optional<Table> comparison_plot(const ComparedSet& a, const ComparedSet& b,
                                     const RunMetric& metric, const PlotStyle& style);

}  // namespace lapcast

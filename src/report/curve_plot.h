#pragma once

#include <optional>

#include "report/forecast_report.h"
#include "table/plot.h"
#include "table/table.h"

namespace lapcast {

/// Returns a drawing of a run's learning curve: a mark for each evaluation, with dots between them,
/// and at the height of the target the interval of the needed epochs. Without a target that
/// interval is at the height of the last evaluation. Returns nullopt for a run without evaluations.
std::optional<Table> curve_plot(const EpochsRow& row, const PlotStyle& style);

}  // namespace lapcast

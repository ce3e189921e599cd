#pragma once

#include <vector>

#include "query/layout_forecast.h"
#include "query/worker_forecast.h"
#include "table/table.h"

namespace lapcast {

/// Returns the trainings on each number of workers, with what a probe would tell.
std::vector<Table> worker_tables(const WorkerForecast& forecast);

/// Returns the trainings in each layout.
std::vector<Table> layout_tables(const LayoutForecast& forecast);

}  // namespace lapcast

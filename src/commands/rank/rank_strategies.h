#pragma once

#include <vector>

#include "query/rank_runs.h"
#include "rank/strategies.h"
#include "store/store.h"

namespace lapcast {

/// Compares the forecasting methods as strategies to choose a candidate: one comparison for each
/// ranking that rank_runs() makes of the request, in the same order. Limits of the preferences do
/// not exclude anything. Real values come from full runs of the same candidates and program, in any
/// sweep or set; imported runs do not count, and no forecast learns from the runs that it is
/// compared with. The bill has the cost of each way of searching. Throws Error (usage) for a
/// ranking that is neither by cost nor by time, and as select_runs() does.
std::vector<Strategies> compare_strategies(const Store& store, const RankRequest& request);

}  // namespace lapcast

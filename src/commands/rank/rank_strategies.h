#pragma once

#include <vector>

#include "query/rank_runs.h"
#include "rank/strategies.h"
#include "store/store.h"

namespace lapcast {

/// Compares the methods of forecasting as strategies to choose a candidate: one comparison for each
/// ranking that rank_runs() makes of the request, in the same order. Limits of the preferences
/// leave nothing out. Real values are those of runs to the end of the same candidates and program,
/// whichever sweep or set they belong to; imported runs do not count, and none of them teaches
/// anything about the forecasts that it is held against. The bill has what each way of searching
/// takes. Throws Error (usage) for a ranking that is neither by cost nor by time, and what
/// select_runs() does.
std::vector<Strategies> compare_strategies(const Store& store, const RankRequest& request);

}  // namespace lapcast

#pragma once

#include <vector>

#include "query/spot_plan.h"
#include "table/table.h"

namespace lapcast {

/// Returns what a plan says: the answer in sentences, the supply, the checkpoint intervals, where
/// the time and the money go, and the policies with a deadline.
std::vector<Table> spot_tables(const SpotPlan& plan, const SpotPlanRequest& request);

}  // namespace lapcast

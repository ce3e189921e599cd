#pragma once

#include <vector>

#include "query/spot_plan.h"
#include "table/table.h"

namespace lapcast {

/// Returns the tables of a plan: the answer in sentences, the supply, the checkpoint intervals, the
/// parts of time and money, and the policies with a deadline.
std::vector<Table> spot_tables(const SpotPlan& plan, const SpotPlanRequest& request);

}  // namespace lapcast

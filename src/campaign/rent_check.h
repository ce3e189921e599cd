#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/rent_plan.h"
#include "report/rent_check_report.h"

namespace lapcast {

/// Asks the adapters of a plan about each machine: whether they are there and what they promise,
/// and what the provider asks for the machine now. Rents nothing. Waits for the adapters, a minute
/// for each at most.
std::vector<RentCheckRow> rent_check(const RentPlan& plan, bool unprotected);

}  // namespace lapcast

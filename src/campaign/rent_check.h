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

/// Takes the price of egress of those machines that have none from the offers of their adapters:
/// the highest of the places that are tried. Waits for the adapters, a minute for each at most. One
/// that does not answer leaves it unknown.
void take_told_egress(const std::vector<MachineToRent*>& machines);

}  // namespace lapcast

#pragma once

#include <vector>

#include "campaign/machine_supply.h"
#include "report/rental_report.h"
#include "run/run.h"

namespace lapcast {

/// Returns the bill of leases until `now`, with what their time was used for: a run belongs to the
/// lease of its machine type during which it was started.
std::vector<RentalRow> rental_bill(const std::vector<SuppliedLease>& leases,
                                   const std::vector<Run>& runs, UtcNs now);

}  // namespace lapcast

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/rent/rent_check.h"
#include "lease/rental.h"
#include "probe/interrupt.h"

namespace lapcast {

/// Holds what one machine was rented for a trial, and what came of it.
struct RentTrial {
  Lease lease;                       // as it was in the end
  std::vector<AdapterCheck> checks;  // of the contract, which only a machine can show
};

/// Rents one machine, logs in, gives it back and waits until it is gone. The reason says why it was
/// not ordered.
Result<RentTrial> try_rental(const RentalOrder& order, const RentLimits& limits,
                             const Interrupt& interrupt, const RentalListener& tell);

/// Returns the price of the cheapest offer of the order's type, zones and way of paying, as the
/// adapter tells it; nothing when it tells none.
std::optional<HourlyPrice> told_price(const RentalOrder& order);

/// Returns the table of what the trial has cost: the boot, the use and the give-back.
Table trial_table(const RentTrial& trial);

}  // namespace lapcast

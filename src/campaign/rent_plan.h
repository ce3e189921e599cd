#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/money.h"
#include "fleet/fleet.h"
#include "lease/rental.h"
#include "machine/ordered_hardware.h"
#include "price/offer.h"

namespace lapcast {

/// Holds what has to be rented for one machine of a fleet.
struct MachineToRent {
  RentalOrder order;                             // with its price; its name is that of the machine
  std::optional<OrderedHardware> hardware = {};  // as the offer says; none = it names no offer
};

/// Holds what has to be rented for a fleet.
struct RentPlan {
  std::vector<MachineToRent> machines;  // in the order of the fleet
  std::size_t at_once = 4;

  bool is_empty() const { return machines.empty(); }
  /// Returns what all machines cost together if each runs to its deadline.
  Money at_most() const;
};

/// Returns the price of a machine: its own, or the offer that it names, by its name or by that of
/// its machine type; nullptr if it has none.
const Offer* offer_of(const FleetMachine& machine, std::span<const Offer> offers);

/// Returns what has to be rented for a fleet whose offers are among `offers`. The price of a
/// machine comes from its offer or from `price`, and so does that of egress unless the file says
/// it; the most that it may cost from max_price, else from that price. Throws Error (bad input) for
/// a machine with neither.
RentPlan rent_plan_of(const Fleet& fleet, std::span<const Offer> offers);

/// Reads the catalogs that the fleet's offers are in, and returns its plan. `offer_files` and
/// `own_prices` are those of read_catalogs().
RentPlan read_rent_plan(const Fleet& fleet, const std::vector<std::string>& offer_files,
                        const std::string& own_prices);

/// Throws Error (usage) when something has to be rented and no budget is given: "fleet.toml rents 3
/// machines for at most 20 min each, $1.27 if all run to their deadline; add --search-budget
/// 1.27USD".
void refuse_without_budget(const RentPlan& plan, const std::optional<Money>& budget,
                           const std::string& fleet_file, const std::string& option);

/// Throws Error (usage) when a machine of the fleet has to be rented, which `command` does not do.
void refuse_rented(const Fleet& fleet, const std::string& command);

}  // namespace lapcast

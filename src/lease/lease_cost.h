#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/money.h"
#include "lease/lease.h"

namespace lapcast {

/// Returns the price of so many bytes that leave a machine; nothing where no price is known.
Money egress_cost(const LeaseOrder& order, std::int64_t bytes);

/// Returns bytes in the unit of the price of egress: "0.1 GB".
std::string gigabyte_text(std::int64_t bytes);

/// Returns what the lease has cost by `now`: from its request until it was gone, in steps of its
/// billing, with the egress of what was fetched. Nothing for one that is gone and was never seen.
Money cost_so_far(const Lease& lease, UtcNs now);

/// Returns the most that the lease can cost as far as is known at `now`: cost_so_far() of one that
/// is gone, else the cost until its deadline, or until now when that is later, with the egress of
/// all that may be fetched. Without a price that the provider told it is the most that was allowed.
/// A lease whose create() was refused in clear
/// words counts for twice `settle`, in which its machine would be found and deleted.
Money worst_cost(const Lease& lease, UtcNs now);

/// Returns the most that an order costs: its whole term at its price `most`, and the egress of all
/// that may be fetched.
Money worst_cost(const LeaseOrder& order);

/// Says what may be spent.
struct RentLimits {
  std::string scope;                  // what `most` is for, such as the id of a sweep
  Money most;                         // of all leases of the scope together
  std::optional<Money> most_a_month;  // of all leases of the user in a calendar month (UTC)
};

/// Returns why an order cannot be paid, or nothing. `leases` are all leases of the ledger. What was
/// billed, what open leases cost until their deadlines, and the order must stay within the limits.
std::optional<std::string> why_too_dear(const std::vector<Lease>& leases, const LeaseOrder& order,
                                        const RentLimits& limits, UtcNs now);

}  // namespace lapcast

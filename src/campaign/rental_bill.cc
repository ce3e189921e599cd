#include "campaign/rental_bill.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/units.h"
#include "lease/lease_cost.h"
#include "price/offer.h"

namespace lapcast {
namespace {

constexpr UtcNs kSecondNs = 1'000'000'000;

Seconds between(UtcNs from, UtcNs to) {
  return from_ns(std::max<UtcNs>(0, to - from));
}

/// Returns whether a run was started on the machine of a lease. The times of runs are whole
/// seconds.
bool was_on(const Run& run, const Lease& lease, UtcNs end) {
  if (run.context.machine_type.name != lease.order.name) return false;
  const auto started = parse_utc(run.context.started_at);
  if (!started) return false;
  const UtcNs at = started->time_since_epoch().count() * kSecondNs;
  return at >= lease.asked - kSecondNs && at <= end;
}

RentalRow row_of(const SuppliedLease& supplied, const std::vector<Run>& runs, UtcNs now) {
  const Lease& lease = supplied.lease;
  const UtcNs end = lease.gone.value_or(now);
  const UtcNs ending = std::min(lease.ending.value_or(end), end);
  RentalRow row;
  row.machine = lease.order.name;
  row.lease = lease.id;
  row.by = lease.order.adapter;
  row.where = lease.zone.empty() ? lease.region : lease.zone;
  row.boot = between(lease.asked, std::min(lease.reachable.value_or(ending), ending));
  row.give_back = between(ending, end);
  for (const Run& run : runs) {
    if (!was_on(run, lease, end)) continue;
    row.measuring += run.wall();
    row.set_up += preparation_time(run, "set-up");
    for (const PreparationStep& step : run.preparation)
      if (step.what.starts_with("send")) row.sending += step.time;
  }
  const Seconds rented = between(lease.asked, end);
  row.other = std::max(
      Seconds{0}, rented - row.boot - row.sending - row.set_up - row.measuring - row.give_back);
  row.cost = cost_so_far(lease, now);
  row.fetched = lease.fetched;
  const Money egress = egress_cost(lease.order, lease.fetched);
  if (lease.order.egress) row.egress = egress;
  if (row.cost > Money())
    row.rounding = std::max(Money(), row.cost - egress - cost_of(lease.price, end - lease.asked));
  row.is_open = is_open(lease);
  row.state = name_of(lease.state);
  row.reason = lease.reason;
  return row;
}

}  // namespace

std::vector<RentalRow> rental_bill(const std::vector<SuppliedLease>& leases,
                                   const std::vector<Run>& runs, UtcNs now) {
  std::vector<RentalRow> rows;
  for (const SuppliedLease& supplied : leases) rows.push_back(row_of(supplied, runs, now));
  return rows;
}

}  // namespace lapcast

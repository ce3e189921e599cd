#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lease/lease.h"

namespace lapcast {

/// Returns a time so many seconds after the request of the leases below.
inline UtcNs at(double seconds) {
  return 1'800'000'000'000'000'000 + to_ns(Seconds{seconds});
}

/// Returns a lease of 20 minutes for at most $0.40 an hour that was not asked for yet.
inline Lease new_lease() {
  Lease lease;
  lease.id = "5cb6fbbacaca";
  lease.order.name = "l4";
  lease.order.adapter = "test";
  lease.order.term = Seconds{1200};
  lease.order.boot_limit = Seconds{360};
  lease.order.most = lease.order.price = lease.price = HourlyPrice{Money::parse("0.40")};
  lease.asked = at(0);
  lease.deadline = at(1200);
  return lease;
}

/// Returns what a list says of the machine of that lease while it boots.
inline ProviderEntry entry() {
  ProviderEntry machine;
  machine.lease = "5cb6fbbacaca";
  machine.machine = "m-1";
  machine.region = "north";
  machine.zone = "north-a";
  return machine;
}

inline ProviderEntry running() {
  ProviderEntry machine = entry();
  machine.state = ListedState::running;
  machine.address = "10.214.0.2";
  return machine;
}

/// Returns the machine after its end, at no cost.
inline ProviderEntry over() {
  ProviderEntry machine = entry();
  machine.state = ListedState::gone;
  machine.costs = false;
  return machine;
}

inline ListedFact listed(UtcNs asked, std::vector<ProviderEntry> machines) {
  return {.asked = asked, .complete = true, .machines = std::move(machines)};
}

/// Returns the lease 40 s after the request, in use.
inline Lease reachable_lease() {
  Lease lease = next_step(new_lease(), NoNews{}, at(0)).lease;
  lease = next_step(lease, MadeFact{running()}, at(2)).lease;
  return next_step(lease, LoginFact{}, at(40)).lease;
}

/// Returns the lease 100 s after the request, when its machine is about to be deleted.
inline Lease ending_lease() {
  return next_step(reachable_lease(), EndFact{"measured"}, at(100)).lease;
}

}  // namespace lapcast

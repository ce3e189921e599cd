#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "lease/adapter.h"
#include "lease/lease.h"
#include "lease/lease_cost.h"
#include "lease/lease_files.h"
#include "lease/ledger.h"

namespace lapcast {

/// Asks for one machine. The zones are tried in this order where capacity or quota is lacking; each
/// try is a lease of its own. Without zones that of `lease` is the only one.
struct RentalOrder {
  LeaseOrder lease;
  std::vector<std::string> zones;
  bool unprotected = false;  // rent even where nothing but this computer ends the machine
};

enum class RentalState {
  booting,  // ordered, not reachable yet
  ready,    // ssh works: host_of_lease() is its name for ssh
  ended,    // it is being given back, or gone, or was never there: `reason` says why
};

/// Describes one rented machine.
struct Rental {
  RentalOrder order;
  RentalState state = RentalState::booting;
  Lease lease;  // the newest one
  AdapterDescription adapter;
  std::string reason;                 // of a rental that ended
  std::optional<Seconds> boot;        // from the request of this lease until ssh worked
  std::optional<UtcNs> preempted_at;  // the provider takes it back then
  /// When the newest answered list of its provider was asked for. A machine that is silent while
  /// its provider answers is in trouble; when both are silent, the network here may be down.
  std::optional<UtcNs> listed;
};

/// Says what happens to rentals, in lines for people such as "l4: booted in 48 s, $0.0053".
using RentalListener = std::function<void(const std::string& line)>;

/// Rents machines for one campaign, in one thread and without blocking: step() moves all leases on.
/// It owns its leases until it is destroyed; what is open then is the keeper's.
class Rentals {
 public:
  Rentals(RentLimits limits, RentalListener tell);
  Rentals(const Rentals&) = delete;
  ~Rentals();

  /// Returns why an order would be refused before any money is spent: no such adapter, no
  /// protection, a term that is too short for the provider; nothing when it would not. Asks the
  /// adapter to describe itself, once.
  std::optional<Reason> why_not(const RentalOrder& order);

  /// Returns why the money does not suffice for an order now; nothing when it does.
  std::optional<Reason> why_too_dear(const RentalOrder& order) const;

  /// Writes the lease and begins to create the machine. Returns the number of the rental, from 0.
  /// The reason says that why_not() or the limits forbid it.
  Result<std::size_t> order(const RentalOrder& order);

  /// Takes over the machines of this scope that a killed lapcast left: those that are created or
  /// reachable, that nobody holds, and that can be used for at least `at_least`. Returns their
  /// numbers. They are `booting` until ssh has worked again.
  std::vector<std::size_t> take_over(Seconds at_least);

  /// Moves all rentals on, for at most that long; returns earlier when one has changed its state.
  void step(std::chrono::milliseconds at_most);

  std::size_t size() const;
  const Rental& operator[](std::size_t number) const;
  LeaseConnection connection(std::size_t number) const;

  /// Asks for a new list of the machine's provider now, because it did not answer.
  void look_again(std::size_t number);
  /// Moves the deadline of a machine to `term` from now. Waits for the adapter. The reason says
  /// that the provider cannot move deadlines, that the limits forbid it, or that the adapter
  /// failed; the old deadline holds then.
  Result<void> extend(std::size_t number, Seconds term);
  /// Takes note that so many more bytes were fetched from a machine, and promises as many again
  /// where half of what is promised is used up. The reason says that nearly all is, and that the
  /// limits forbid more.
  Result<void> note_fetched(std::size_t number, std::int64_t bytes);
  /// Promises the egress of so many more bytes that are to be fetched from a machine. The reason
  /// says that the limits forbid it. Where the price of egress is not known, nothing is promised.
  Result<void> allow_to_fetch(std::size_t number, std::int64_t bytes);
  /// Begins to give a machine back; step() goes on with it. Does nothing to one that ended.
  void give_back(std::size_t number, const std::string& reason);
  /// Lets go of a machine without ending it: it stays rented for so long, and take_over() of the
  /// same scope, or of the scope that `next` names, finds it.
  void keep(std::size_t number, Seconds how_long, const std::string& next = "");
  /// Returns whether any lease of these is not gone yet (kept ones do not count).
  bool any_open() const;
  /// Gives all back and steps until all are gone, or the time is over: the keeper then goes on.
  void end_all(const std::string& reason, Seconds at_most);

  /// Returns what all rentals of the scope have cost by now, and the most that they can cost.
  Money spent() const;
  Money at_most() const;
  Ledger& ledger();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "lease/lease.h"
#include "machine/ordered_hardware.h"
#include "machine/place.h"

namespace lapcast {

/// Says what is known of a machine that a campaign needs and that has to be rented.
struct SuppliedMachine {
  enum class State {
    waiting,  // not ordered yet
    coming,   // ordered; it boots
    ready,    // runs can start on it
    ended,    // it is given back, or was never there, and no other one will come: `why`
  } state = State::waiting;
  int life = 0;            // how many machines of this name have ended; a later one has nothing yet
  Place place = {};        // when it is ready
  std::string doing{};     // while it is coming, for people: "booting for 12 s"
  std::string why{};       // why the last one ended; empty = none did
  bool is_ending = false;  // the provider announced that it takes the machine back
  std::optional<Seconds> boot = {};             // how long this one took until it was ready
  std::optional<OrderedHardware> ordered = {};  // what it must have; none = any
};

/// Holds a lease that was used for a machine.
struct SuppliedLease {
  Lease lease;
  std::optional<Seconds> boot;  // none = it never was reachable
};

/// Supplies the machines of a campaign that have to be rented, by the names of their machine types.
/// No function waits.
class MachineSupply {
 public:
  virtual ~MachineSupply() = default;
  /// Begins to supply for a search, such as a sweep, by its id. Machines that an earlier command
  /// rented for it are used first. With `hold`, machines without work are kept until finish().
  virtual void begin(const std::string& search, bool hold) = 0;
  /// Moves on. `left` names the machines for which work is left, the next one first: they are
  /// rented, a limited number at a time, and the others are given back.
  virtual void step(const std::vector<std::string>& left) = 0;
  /// Returns what is known of a machine; nullptr if it is not one that has to be rented.
  virtual const SuppliedMachine* find(const std::string& name) const = 0;
  /// Takes note that a machine that is ready was silent for so long.
  virtual void note_silence(const std::string& name, Seconds time) = 0;
  /// Takes note that so many more bytes came from a machine.
  virtual void note_fetched(const std::string& name, std::int64_t bytes) = 0;
  /// Takes note that a machine that is ready cannot be used.
  virtual void refuse(const std::string& name, const std::string& why) = 0;
  /// Returns what all machines cost so far and at most, for people; empty before the first.
  virtual std::string cost_text() const = 0;
  /// Gives back what is left, and waits some seconds for the end of the machines. What is not gone
  /// then is given back by a process in the background.
  virtual void finish() = 0;
  /// Returns all leases of the search that this object had.
  virtual std::vector<SuppliedLease> leases() const = 0;
};

}  // namespace lapcast

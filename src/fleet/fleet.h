#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lease/lease.h"
#include "machine/machine_type.h"
#include "machine/place.h"
#include "price/offer.h"

namespace lapcast {

/// Says how a machine is rented: [machine.rent] of a fleet file.
struct RentSection {
  LeaseOrder order;                  // without what only the catalog says: price and billing
  std::vector<std::string> zones;    // are tried in this order; empty = the provider chooses
  std::string cuda = {};             // the oldest that its driver must run; empty = any
  std::int64_t free_disk_bytes = 0;  // that it must have at least
  friend bool operator==(const RentSection&, const RentSection&) = default;
};

/// Holds a [[machine]] of a fleet file: a machine type and its price, which at most one of
/// `offer_name` and `offer` gives.
struct FleetMachine {
  MachineType type;
  std::string offer_name;                // of an offer of a catalog; empty when it names none
  std::optional<Offer> offer;            // from `price` or [machine.owned]
  PlaceSetup place_setup;                // where it is
  std::optional<RentSection> rent = {};  // none = it need not be rented
  bool every_node_type = false;  // of Slurm: it stands for each kind of node that it can get
  int gpus = 0;                  // of one node of it; 0 = not known
  bool here = false;             // it may be the same hardware as others: only prices differ
  std::int64_t data_bytes = 0;   // that have to be sent to it before a training; 0 = not known
  double link_bytes_per_s = 0;   // speed at which they are sent; 0 = as measured
  friend bool operator==(const FleetMachine&, const FleetMachine&) = default;
};

/// Holds a fleet file: the machine types of a sweep, and values of placeholders from [sweep].
struct Fleet {
  std::vector<FleetMachine> machines;  // in the file's order, names unique, never empty
  std::map<std::string, std::vector<std::string>> settings;
  int rented_at_once = 4;  // machines, at most
  friend bool operator==(const Fleet&, const Fleet&) = default;
};

/// Is the provider of a price that a fleet file gives.
inline constexpr const char* kFleetFileProvider = "fleet file";

/// Begins the source of a price for which a fleet file names none.
inline constexpr std::string_view kFromFleetFile = "fleet file ";

}  // namespace lapcast

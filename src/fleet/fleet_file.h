#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "machine/description.h"
#include "machine/machine_type.h"
#include "machine/place.h"
#include "price/offer.h"

namespace lapcast {

/// Holds a [[machine]] of a fleet file: a machine type and its price. Exactly one of `offer_name`
/// and `offer` gives the price.
struct FleetMachine {
  MachineType type;
  std::string offer_name;        // of an offer of a catalog; empty when the price is in the file
  std::optional<Offer> offer;    // from `price` or [machine.owned]
  PlaceSetup place_setup;        // where it stands
  bool every_node_type = false;  // of Slurm: it stands for each kind of node that it can get
  friend bool operator==(const FleetMachine&, const FleetMachine&) = default;
};

/// Holds a fleet file: the machine types of a sweep, and values of placeholders from [sweep].
struct Fleet {
  std::vector<FleetMachine> machines;  // in the file's order, names unique, never empty
  std::map<std::string, std::vector<std::string>> settings;
  friend bool operator==(const Fleet&, const Fleet&) = default;
};

/// Reads a fleet file (docs/fleet-file.md). Throws Error (bad input) that names file, line, column
/// and what to do; `file` is for messages only.
Fleet parse_fleet(std::string_view toml, const std::string& file);

/// Returns the place of the machine of that name; this machine when there is none.
PlaceSetup place_setup_of(const Fleet& fleet, const std::string& machine);

/// Parses "50%" into 0.5 CPUs and "150%" into 1.5. Throws Error (usage) when the text is no
/// percentage, below 0.1 % or above 819200 % (8192 CPUs).
double parse_cpu_quota(std::string_view text);

/// Returns why a probe of that type cannot run on that machine: CPUs that do not exist or may not
/// be used, a quota above all CPUs or where none can be set; for a fleet's machine also what it
/// needs.
std::optional<Reason> why_cannot_run(const MachineType& type, const MachineDescription& here);
std::optional<Reason> why_cannot_run(const FleetMachine& machine, const MachineDescription& here);
/// Returns why the machine lacks the vector extension `needs`; none when it has it or `needs` is
/// empty.
std::optional<Reason> lacks_extension(const std::string& needs, const MachineDescription& here);

}  // namespace lapcast

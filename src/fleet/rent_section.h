#pragma once

#include <optional>
#include <string>

#include "core/seconds.h"
#include "fleet/fleet.h"
#include "toml/fleet_section.h"

namespace lapcast {

/// Holds what [rent] sets for every machine that does not set it itself.
struct RentDefaults {
  Seconds max_time{1200};   // of one machine, from its request on
  Seconds boot_limit{360};  // from the request to the first login
  int at_once = 4;          // machines
};

/// Reads [rent] of a fleet file. Throws Error (bad input).
RentDefaults read_rent_defaults(const FleetSection& root);

/// Reads [machine.rent] of a [[machine]] of that name; none where there is none. Throws Error (bad
/// input) for the name of an adapter that could be a path, and for times and prices that cannot be.
std::optional<RentSection> read_rent_section(const FleetSection& machine, const std::string& name,
                                             const RentDefaults& defaults);

}  // namespace lapcast

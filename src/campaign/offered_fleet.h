#pragma once

#include <string>
#include <vector>

#include "fleet/fleet.h"

namespace lapcast {

/// Holds the machines that adapters rent now.
struct OfferedFleet {
  Fleet fleet;                      // at the prices that the adapters say now
  std::vector<std::string> silent;  // adapters that told no offers, with the reason
};

/// Says which machines are wanted by the number of their accelerators.
struct WantedGpus {
  bool any = false;      // at least one
  bool several = false;  // more than one, too
};

/// Asks the adapters, or all that there are when none is named, at the same time for what they rent
/// now: the cheapest machine of each type that is to be had on demand, with as many accelerators as
/// are wanted. Rents nothing. Throws Error (system failed) when there is no such machine.
OfferedFleet offered_fleet(const std::vector<std::string>& adapters, const WantedGpus& wanted);

}  // namespace lapcast

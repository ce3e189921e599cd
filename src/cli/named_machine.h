#pragma once

#include <string>
#include <vector>

#include "fleet/candidates.h"
#include "fleet/fleet.h"
#include "run/run.h"

namespace lapcast {

/// Holds a machine of a fleet file, with the only candidate of a program on it.
struct NamedCandidate {
  FleetMachine machine;
  RunContext context;
};

/// Says which machine is wanted.
struct NamedMachine {
  std::string name;
  std::string fleet_file;
  std::vector<std::string> offer_files;  // catalogs of its offers; empty = lapcast's
  std::string own_prices;                // as read_own_prices() takes it
};

/// Finds a machine in its fleet file. Placeholders have the values of `given`, else of the file;
/// `common` is the part of the context that is the same on all machines. Throws Error: bad input
/// for a file that cannot be read; usage for a name that it does not have, and, with `fix`, for a
/// placeholder without a value or with several.
NamedCandidate named_candidate(const NamedMachine& wanted, PlaceholderValues given,
                               const RunContext& common, const std::string& fix);

}  // namespace lapcast

#pragma once

#include <vector>

#include "fleet/fleet_section.h"
#include "machine/place.h"

namespace lapcast {

/// [[data]] of a fleet file: what the program reads on every machine elsewhere. Throws Error (bad
/// input) for a path that leaves the program's folder by "..", and for one that stands twice.
std::vector<DataSet> read_data_sets(const FleetSection& root);

/// Where a [[machine]] stands, by `host` or [machine.slurm], and what it needs there. Throws Error
/// (bad input) for both at once, for keys that only machines elsewhere have, for a host that ssh
/// would take for an option, and for keys of this machine's CPUs with Slurm.
PlaceSetup read_site(const FleetSection& machine, const std::vector<DataSet>& data);

/// [machine.slurm] every_node_type: the entry stands for each kind of node that it can get.
bool read_every_node_type(const FleetSection& machine);

}  // namespace lapcast

#pragma once

#include <vector>

#include "fleet/fleet_section.h"
#include "machine/place.h"

namespace lapcast {

/// Reads [[data]] of a fleet file: what the program reads on every remote machine. Throws Error
/// (bad input) for a path that leaves the program's folder by "..", and for one that stands twice.
std::vector<DataSet> read_data_sets(const FleetSection& root);

/// Reads where a [[machine]] is, by `host` or [machine.slurm], and what it needs. Throws Error (bad
/// input) for both at once, for keys that only remote machines have, for a host that ssh would take
/// for an option, and for keys of this machine's CPUs with Slurm.
PlaceSetup read_place_setup(const FleetSection& machine, const std::vector<DataSet>& data);

/// Reads every_node_type of [machine.slurm]: the entry stands for each type of node that it can
/// get.
bool read_every_node_type(const FleetSection& machine);

}  // namespace lapcast

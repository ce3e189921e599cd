#pragma once

#include "machine/place.h"
#include "toml/fleet_section.h"

namespace lapcast {

/// Reads [machine.slurm] of a fleet file. Throws Error (bad input) for flags that could do more
/// than ask for resources, and for GPUs that are asked for twice.
SlurmPlace read_slurm_section(const FleetSection& slurm);

/// Reads every_node_type of [machine.slurm]: the entry stands for each type of node that it can
/// get.
bool read_every_node_type(const FleetSection& machine);

}  // namespace lapcast

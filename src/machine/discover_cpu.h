#pragma once

#include <string>
#include <vector>

#include "machine/description.h"

namespace lapcast {

/// Fills in model, architecture, isa, hypervisor, sockets, cores, threads, clock and cache from
/// files below `root`.
void describe_cpus(const std::string& root, MachineDescription& machine);

/// Returns the CPUs that this process may use, ascending.
std::vector<int> allowed_cpus();

}  // namespace lapcast

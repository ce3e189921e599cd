#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "fleet/fleet_file.h"
#include "remote/slurm_nodes.h"

namespace lapcast {

/// Returns the machines that an entry with every_node_type stands for: one for each type of node of
/// which one is usable, in order of their names "NAME/TYPE", at the entry's price and with what the
/// entry asks Slurm for besides.
std::vector<FleetMachine> machines_of(const FleetMachine& entry,
                                      const std::vector<NodeType>& types);

/// Replaces entries with every_node_type by their machines. `ask` returns the types of nodes of an
/// entry's cluster and partition. Throws Error when a cluster cannot be asked, has no usable node
/// for an entry, or a name comes twice.
Fleet with_node_types(const Fleet& fleet,
                      const std::function<Result<std::vector<NodeType>>(const Place&)>& ask);

}  // namespace lapcast

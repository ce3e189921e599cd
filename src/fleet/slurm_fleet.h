#pragma once

#include <string>
#include <vector>

#include "remote/slurm_nodes.h"

namespace lapcast {

/// Returns a fleet file of a cluster: a [[machine]] for each of its types of nodes, with comments
/// that say what they are and what is to be filled in: the prices, which Slurm does not know. The
/// file can be read as it is. `login` is the ssh host of the login node, empty when this machine
/// has Slurm's commands; `today` is a date such as "2026-11-22".
std::string slurm_fleet_text(const std::vector<NodeType>& types, const std::string& login,
                             const std::string& today);

}  // namespace lapcast

#pragma once

#include <string>
#include <vector>

#include "remote/slurm_nodes.h"

namespace lapcast {

/// A fleet file of a cluster: a [[machine]] for each of its node types, with comments that say what
/// they are and what is to be filled in: the prices, which Slurm does not know. It can be read as it
/// is. `login`: ssh host of the login node, empty = the commands are here; `today`: "2026-11-22".
std::string slurm_fleet_text(const std::vector<NodeType>& types, const std::string& login,
                             const std::string& today);

}  // namespace lapcast

#pragma once

#include <vector>

#include "remote/slurm_nodes.h"

namespace lapcast {

/// Gives each type a name that is unique in the list: its first partition, its CPUs and
/// accelerators, such as "gpu-64c-4xa100"; where these are equal the features that not all have,
/// then a number.
void name_types(std::vector<NodeType>& types);

}  // namespace lapcast

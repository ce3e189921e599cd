#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"

namespace lapcast {

/// Returns a program of the suite by its name: in $LAPCAST_SUITE_DIR when that is set, else beside
/// the lapcast binary, else in the folder `workloads` beside it, where a build tree has them; in
/// each also within a folder of its own name. The reason names the folders that were looked in.
Result<std::filesystem::path> find_workload_program(const std::string& name);

/// Returns one line that says how the programs are built and where lapcast then finds them.
std::string how_to_build_workloads();

}  // namespace lapcast

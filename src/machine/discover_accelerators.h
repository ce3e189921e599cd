#pragma once

#include <string>
#include <vector>

#include "machine/description.h"

namespace lapcast {

/// NVIDIA GPUs by nvidia-smi (started only where there is a driver), else by the driver's files;
/// AMD GPUs by the amdgpu driver's files. What could not be found out goes to `missing`.
std::vector<Accelerator> find_accelerators(const std::string& root,
                                           std::vector<std::string>& missing);

}  // namespace lapcast

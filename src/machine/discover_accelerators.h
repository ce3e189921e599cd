#pragma once

#include <string>
#include <vector>

#include "machine/description.h"

namespace lapcast {

/// Finds NVIDIA GPUs by nvidia-smi, which is started only where there is a driver, else by the
/// driver's files, and AMD GPUs by the amdgpu driver's files. Adds what could not be found out to
/// `missing`.
std::vector<Accelerator> find_accelerators(const std::string& root,
                                           std::vector<std::string>& missing);

}  // namespace lapcast

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace lapcast::workloads {

using NamedTensors = std::map<std::string, at::Tensor>;

/// Writes the same file as torch.save() makes of a dictionary of tensors. The file is written under
/// another name and then renamed, so a file of this name is always complete. Returns the bytes
/// written. Throws std::runtime_error with one line. read_state_dict() reads it.
int64_t write_tensors(const std::filesystem::path& file, const NamedTensors& tensors);

}  // namespace lapcast::workloads

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace lapcast::workloads {

using NamedTensors = std::map<std::string, at::Tensor>;

/// Writes what torch.save() makes of a dictionary of tensors, so that torch.load() in Python reads
/// it: under another name first, then renamed, so that a file of this name is whole. The bytes
/// written. Throws std::runtime_error with one line.
int64_t write_tensors(const std::filesystem::path& file, const NamedTensors& tensors);

/// Reads such a file. Throws std::runtime_error with one line when it cannot.
NamedTensors read_tensors(const std::filesystem::path& file);

}  // namespace lapcast::workloads

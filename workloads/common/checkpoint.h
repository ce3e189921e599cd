#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/tensor_file.h"
#include "common/train.h"

namespace lapcast::workloads {

/// A checkpoint: named tensors and how far the training was. Its file is one of tensor_file.h.
struct Checkpoint {
  NamedTensors tensors;
  Progress progress;  ///< all but the patience, which is the new run's
};

/// By write_tensors(); the progress is one of the tensors.
int64_t write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Throws std::runtime_error with one line when the file is damaged or is no checkpoint.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Copies the saved tensor into `into`; false when there is none of that name. Throws
/// std::runtime_error when its shape differs.
bool restore(const Checkpoint& checkpoint, const std::string& name, at::Tensor into);

}  // namespace lapcast::workloads

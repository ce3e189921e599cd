#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/tensor_file.h"
#include "common/train.h"

namespace lapcast::workloads {

/// Holds named tensors and the progress of the training. tensor_file.h defines the file format.
struct Checkpoint {
  NamedTensors tensors;
  Progress progress;  ///< without the patience, which the new run sets
};

/// Writes a checkpoint with write_tensors(), the progress as one of the tensors. Returns the bytes
/// written.
int64_t write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Reads a checkpoint. Throws std::runtime_error with one line when the file is damaged or is not a
/// checkpoint.
Checkpoint read_checkpoint(const std::filesystem::path& file);

/// Returns the files checkpoint-N.pt of a folder, the largest N first; none when there is no such
/// folder.
std::vector<std::filesystem::path> checkpoints_in(const std::filesystem::path& folder);

/// Copies the saved tensor into `into`. Returns false when the checkpoint has no tensor of that
/// name. Throws std::runtime_error when its shape differs.
bool restore(const Checkpoint& checkpoint, const std::string& name, at::Tensor into);

}  // namespace lapcast::workloads

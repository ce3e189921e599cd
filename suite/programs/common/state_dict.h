#pragma once

#include <torch/nn/module.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/tensor_file.h"

namespace lapcast::workloads {

/// Reads the tensors of a file that torch.save() made of a state dict, in PyTorch's present format
/// or in the one before 1.6. Nothing of the file is run (data/pickle.h). Throws std::runtime_error
/// with one line that names the file.
NamedTensors read_state_dict(const std::filesystem::path& file);

/// Copies the tensors into the parameters and buffers of the same names. Tensors whose names begin
/// with one of `spare`, and the counts of batches that PyTorch's normalisation keeps, may be there
/// without a place in the network. Throws std::runtime_error with one line that names the tensors
/// that are missing, unknown or of another shape; nothing is copied then. `source` names the file.
void load_state_dict(torch::nn::Module& network, const NamedTensors& tensors,
                     const std::string& source, const std::vector<std::string>& spare = {});

}  // namespace lapcast::workloads

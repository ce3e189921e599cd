#pragma once

#include <filesystem>

#include "common/tensor_file.h"
#include "detection/mask_rcnn.h"

namespace lapcast::workloads {

/// Returns the tensors under the names that torchvision gives them since version 0.13, in which
/// convolutions got a module of their own. The published file of maskrcnn_resnet50_fpn has the
/// names from before.
NamedTensors with_present_names(const NamedTensors& tensors);

/// Reads the weights of the network from a file of torch.save() with torchvision's state dict.
/// Throws std::runtime_error with one line that names the tensors that do not fit.
void load_weights(MaskRcnn& network, const std::filesystem::path& file);

}  // namespace lapcast::workloads

#include "models/nn_twins.h"

#include <ATen/Functions.h>
#include <torch/nn/init.h>

#include "models/layer_sizes.h"

namespace lapcast::workloads {

NnTwins::NnTwins() {
  constexpr double kDeviation = 0.05;
  dense1_ = register_module("dense1", torch::nn::Linear(5, 5));
  dense2_ = register_module("dense2", torch::nn::Linear(5, 3));
  torch::nn::init::normal_(dense1_->weight, 0, kDeviation);
  torch::nn::init::xavier_uniform_(dense2_->weight);
  torch::nn::init::zeros_(dense1_->bias);
  torch::nn::init::zeros_(dense2_->bias);
}

at::Tensor NnTwins::forward(const at::Tensor& rows, bool /*training*/) {
  return dense2_->forward(dense1_->forward(rows).relu_());
}

std::vector<LayerSize> NnTwins::layers() const {
  return {dense_size("dense1", 5, 5), dense_size("dense2", 5, 3)};
}

}  // namespace lapcast::workloads

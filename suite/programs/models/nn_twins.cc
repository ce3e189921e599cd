#include "models/nn_twins.h"

#include <ATen/Functions.h>
#include <torch/nn/init.h>

#include <string>

#include "models/layer_sizes.h"

namespace lapcast::workloads {

NnTwins::NnTwins(int64_t layers) {
  constexpr double kDeviation = 0.05;
  for (int64_t i = 1; i <= layers; ++i) {
    const bool is_last = i == layers;
    torch::nn::Linear dense =
        register_module("dense" + std::to_string(i), torch::nn::Linear(5, is_last ? 3 : 5));
    if (is_last) {
      torch::nn::init::xavier_uniform_(dense->weight);
    } else {
      torch::nn::init::normal_(dense->weight, 0, kDeviation);
    }
    torch::nn::init::zeros_(dense->bias);
    dense_.push_back(dense);
  }
}

at::Tensor NnTwins::forward(const at::Tensor& rows, bool /*training*/) {
  at::Tensor x = rows;
  for (size_t i = 0; i + 1 < dense_.size(); ++i) x = dense_[i]->forward(x).relu_();
  return dense_.back()->forward(x);
}

std::vector<LayerSize> NnTwins::layers() const {
  std::vector<LayerSize> sizes;
  for (size_t i = 0; i + 1 < dense_.size(); ++i) {
    sizes.push_back(dense_size("dense" + std::to_string(i + 1), 5, 5));
  }
  sizes.push_back(dense_size("dense" + std::to_string(dense_.size()), 5, 3));
  return sizes;
}

}  // namespace lapcast::workloads

#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>

#include "common/network.h"

namespace lapcast::workloads {

/// Batch normalisation of the channels of images (Ioffe and Szegedy, arXiv:1502.03167), as PyTorch
/// computes it: momentum 0.1, epsilon 1e-5. Shift begins at 0. While training, the
/// batch's mean and variance are used and the running ones moved towards them; otherwise the
/// running ones are used.
class BatchNorm : public torch::nn::Module {
 public:
  /// scale: the first one of every channel.
  explicit BatchNorm(int64_t channels, double scale = 1);
  at::Tensor forward(const at::Tensor& x, bool training);

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor running_mean_;
  at::Tensor running_var_;
};

}  // namespace lapcast::workloads

#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>

#include "common/network.h"

namespace lapcast::workloads {

/// Normalises the channels of images over a batch (Ioffe and Szegedy, arXiv:1502.03167) as PyTorch
/// does, with momentum 0.1. The shift begins at 0. Training uses the batch's mean
/// and variance and moves the running ones towards them; validation uses the running ones.
class BatchNorm : public torch::nn::Module {
 public:
  /// `scale` is the initial scale of every channel; `epsilon` is added to the variance.
  explicit BatchNorm(int64_t channels, double scale = 1, double epsilon = 1e-5);
  at::Tensor forward(const at::Tensor& x, bool training);

  /// Ends the training of scale and shift: they do not count as trained numbers any more.
  void freeze();

  /// Holds what validation multiplies every channel by, and what it adds then.
  struct Affine {
    at::Tensor factor;
    at::Tensor shift;
  };
  /// Returns the normalisation of validation, with another epsilon than that of forward().
  Affine affine(double epsilon) const;

 private:
  double epsilon_;
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor running_mean_;
  at::Tensor running_var_;
};

}  // namespace lapcast::workloads

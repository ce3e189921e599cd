#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>

#include "common/dropout.h"

namespace lapcast::workloads {

/// The network of Keras's example mnist_cnn, which [C] and [M] train:
///
///   28x28x1   conv 3x3, 32 filters, ReLU      -> 26x26x32         320 parameters
///             conv 3x3, 64 filters, ReLU      -> 24x24x64      18,496
///             max-pool 2x2                    -> 12x12x64
///             dropout, flatten                -> 9,216
///             dense 128, ReLU, dropout                      1,179,776
///             dense 10                                          1,290
///                                                           1,199,882
///
/// Weights begin as Keras's do: Glorot uniform, biases 0. Activations are kept channels last, which
/// is the order that TensorFlow flattens them in and the fastest one measured on a CPU.
class MnistCnn : public torch::nn::Module {
 public:
  /// Dropout after the pooling and after the first dense layer; 0: none. The first weights are
  /// drawn on the CPU: the same for every device.
  MnistCnn(double pool_dropout, double dense_dropout, c10::Device device = c10::kCPU);

  /// Images (count x 1 x 28 x 28, 0..1) to logits (count x 10).
  at::Tensor forward(const at::Tensor& images, bool training);

  /// Begins a new row of dropout masks.
  void seed_dropout(uint64_t seed);

 private:
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
  torch::nn::Linear dense1_{nullptr};
  torch::nn::Linear dense2_{nullptr};
  Dropout pool_dropout_;
  Dropout dense_dropout_;
};

}  // namespace lapcast::workloads

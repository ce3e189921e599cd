#pragma once

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "common/dropout.h"
#include "common/network.h"

namespace lapcast::workloads {

/// Is the network of Keras's example mnist_cnn, which [C] and [M] train (see ../mnist_cnn.cc):
///
///   28x28x1   conv 3x3, 32 filters, ReLU      -> 26x26x32         320 parameters
///             conv 3x3, 64 filters, ReLU      -> 24x24x64      18,496
///             max-pool 2x2                    -> 12x12x64
///             dropout, flatten                -> 9,216
///             dense 128, ReLU, dropout                      1,179,776
///             dense 10                                          1,290
///                                                           1,199,882
///
/// Initial weights are Keras's: Glorot uniform, biases 0. Activations are channels last in memory,
/// which is the order in which TensorFlow flattens them and the fastest one measured on a CPU.
class MnistCnn : public Network {
 public:
  /// The dropouts follow the pooling and the first dense layer; 0 means none.
  MnistCnn(double pool_dropout, double dense_dropout);

  /// Maps images (count x 1 x 28 x 28, 0..1) to logits (count x 10).
  at::Tensor forward(const at::Tensor& images, bool training) override;
  void seed_dropout(uint64_t seed) override;
  std::vector<int64_t> input_shape() const override { return {1, 28, 28}; }
  std::vector<LayerSize> layers() const override;

 private:
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
  torch::nn::Linear dense1_{nullptr};
  torch::nn::Linear dense2_{nullptr};
  Dropout pool_dropout_;
  Dropout dense_dropout_;
};

}  // namespace lapcast::workloads

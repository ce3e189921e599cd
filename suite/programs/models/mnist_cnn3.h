#pragma once

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "common/dropout.h"
#include "common/network.h"
#include "common/random.h"

namespace lapcast::workloads {

/// Is the customary Keras network with three convolutions, for the study [G] (see ../suite.toml):
///
///   28x28x1   conv 3x3, 64 filters, ReLU      -> 26x26x64         640 parameters
///             max-pool 2x2                    -> 13x13x64
///             conv 3x3, 64 filters, ReLU      -> 11x11x64      36,928
///             max-pool 2x2                    -> 5x5x64
///             conv 3x3, 64 filters, ReLU      -> 3x3x64        36,928
///             flatten, dropout                -> 576
///             dense 10                                          5,770
///                                                              80,266
///
/// Initial weights are Keras's: Glorot uniform, biases 0. Activations are channels last in memory.
class MnistCnn3 : public Network {
 public:
  /// The dropout precedes the dense layer; 0 means none.
  explicit MnistCnn3(double dropout);

  /// Maps images (count x 1 x 28 x 28, 0..1) to logits (count x 10).
  at::Tensor forward(const at::Tensor& images, bool training) override;
  void seed_dropout(uint64_t seed) override { dropout_.seed(mix_seeds(seed, 1)); }
  std::vector<int64_t> input_shape() const override { return {1, 28, 28}; }
  std::vector<LayerSize> layers() const override;

 private:
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
  torch::nn::Conv2d conv3_{nullptr};
  torch::nn::Linear dense_{nullptr};
  Dropout dropout_;
};

}  // namespace lapcast::workloads

#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "common/dropout.h"
#include "common/network.h"

namespace lapcast::workloads {

/// Is the customary Keras multi-layer perceptron, for the study [G] (see ../suite.toml):
///
///   784   dense 256, ReLU, dropout     200,960 parameters
///         dense 256, ReLU, dropout      65,792
///         dense 10                       2,570
///                                      269,322
///
/// Initial weights are Keras's: Glorot uniform, biases 0.
class MnistMlp : public Network {
 public:
  /// A dropout follows each hidden layer; 0 means none.
  explicit MnistMlp(double dropout);

  /// Maps images (count x 1 x 28 x 28, 0..1) to logits (count x 10).
  at::Tensor forward(const at::Tensor& images, bool training) override;
  void seed_dropout(uint64_t seed) override;
  std::vector<int64_t> input_shape() const override { return {1, 28, 28}; }
  std::vector<LayerSize> layers() const override;

 private:
  torch::nn::Linear dense1_{nullptr};
  torch::nn::Linear dense2_{nullptr};
  torch::nn::Linear dense3_{nullptr};
  Dropout dropout1_;
  Dropout dropout2_;
};

}  // namespace lapcast::workloads

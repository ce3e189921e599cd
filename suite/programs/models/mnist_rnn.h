#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "common/dropout.h"
#include "common/network.h"
#include "common/random.h"
#include "models/simple_rnn.h"

namespace lapcast::workloads {

/// Is the customary Keras recurrent network, for the study [G] (see ../suite.toml). An image is 28
/// steps of one row.
///
///   28 x 28   SimpleRNN 256, the last state    72,960 parameters
///             dropout
///             dense 10                          2,570
///                                              75,530
class MnistRnn : public Network {
 public:
  /// The dropout precedes the dense layer; 0 means none.
  explicit MnistRnn(double dropout);

  /// Maps images (count x 1 x 28 x 28, 0..1) to logits (count x 10).
  at::Tensor forward(const at::Tensor& images, bool training) override;
  void seed_dropout(uint64_t seed) override { dropout_.seed(mix_seeds(seed, 1)); }
  std::vector<int64_t> input_shape() const override { return {1, 28, 28}; }
  std::vector<LayerSize> layers() const override;

 private:
  SimpleRnn rnn_{nullptr};
  torch::nn::Linear dense_{nullptr};
  Dropout dropout_;
};

}  // namespace lapcast::workloads

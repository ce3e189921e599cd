#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "common/network.h"

namespace lapcast::workloads {

/// Is the classifier of the I/O scheduler TWINS (Bez et al. 2019; Künas 2023, section 4.1.1):
///
///   5   dense 5, ReLU      30 parameters
///       dense 3            18
///                          48
///
/// The first layer's initial weights are normal with Keras's deviation of 0.05, the second's Glorot
/// uniform, biases 0.
class NnTwins : public Network {
 public:
  NnTwins();

  /// Maps rows (count x 5) to logits (count x 3).
  at::Tensor forward(const at::Tensor& rows, bool training) override;
  int64_t input_numbers() const override { return 5; }
  std::vector<LayerSize> layers() const override;

 private:
  torch::nn::Linear dense1_{nullptr};
  torch::nn::Linear dense2_{nullptr};
};

}  // namespace lapcast::workloads

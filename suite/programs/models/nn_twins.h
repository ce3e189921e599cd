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
/// With three layers, as [K]'s words can be read too ("an input layer" with a ReLU, "a hidden layer
/// with the same number of neurons"), there is one more dense 5 with ReLU: 78 parameters. Initial
/// weights are normal with Keras's deviation of 0.05, the last layer's Glorot uniform; biases are
/// 0.
class NnTwins : public Network {
 public:
  /// `layers` is the number of layers with weights: 2 or 3.
  explicit NnTwins(int64_t layers = 2);

  /// Maps rows (count x 5) to logits (count x 3).
  at::Tensor forward(const at::Tensor& rows, bool training) override;
  std::vector<int64_t> input_shape() const override { return {5}; }
  std::vector<LayerSize> layers() const override;

 private:
  std::vector<torch::nn::Linear> dense_;
};

}  // namespace lapcast::workloads

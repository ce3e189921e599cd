#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <vector>

namespace lapcast::workloads {

/// Holds the weights of a recurrent layer with one bias: those of its input, of its state, and the
/// bias, with `gates` rows for each unit. W is Glorot uniform, U orthogonal, b 0 at first.
///
/// They are views of one array, in the order that cuDNN takes: W, U, b, and the second bias of 0
/// that LibTorch's layers have. cuDNN would otherwise copy them at every call. They stay so when
/// the network moves to another device or type.
class RecurrentWeights : public torch::nn::Module {
 public:
  RecurrentWeights(int64_t gates, int64_t inputs, int64_t units);

  void to(at::Device device, at::ScalarType type, bool non_blocking = false) override;
  void to(at::ScalarType type, bool non_blocking = false) override;
  void to(at::Device device, bool non_blocking = false) override;

 protected:
  /// Returns W, U, b and the second bias, as at::lstm() takes them.
  std::vector<at::Tensor> all_weights() const;

  int64_t units() const { return recurrent_weight_.size(1); }
  const at::Tensor& input_weight() const { return input_weight_; }
  const at::Tensor& recurrent_weight() const { return recurrent_weight_; }
  const at::Tensor& bias() const { return bias_; }

 private:
  void put_together();

  at::Tensor input_weight_;      // W, (gates x units) x inputs
  at::Tensor recurrent_weight_;  // U, (gates x units) x units
  at::Tensor bias_;              // b, gates x units
  at::Tensor second_bias_;       // 0, neither trained nor saved
};

}  // namespace lapcast::workloads

#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>

namespace lapcast::workloads {

/// Computes Keras's LSTM, with one bias per gate: gates i, f, g, o are sigmoid (g: tanh) of W x[t]
/// + U h[t-1] + b, c[t] = f c[t-1] + i g, h[t] = o tanh(c[t]). Initial W is Glorot uniform over all
/// gates together, U orthogonal, b 0 except 1 for the forget gate. The rows of W, U and b have the
/// gates in PyTorch's order, which is also Keras's.
class KerasLstmImpl : public torch::nn::Module {
 public:
  KerasLstmImpl(int64_t inputs, int64_t units);

  /// Maps steps x count x inputs to the last h, count x units.
  at::Tensor forward(const at::Tensor& x);

 private:
  int64_t units_;
  at::Tensor input_weight_;      // W, 4 units x inputs
  at::Tensor recurrent_weight_;  // U, 4 units x units
  at::Tensor bias_;              // b, 4 units
};
TORCH_MODULE(KerasLstm);

}  // namespace lapcast::workloads

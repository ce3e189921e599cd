#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>

namespace lapcast::workloads {

/// Keras's LSTM, with one bias per gate: gates i, f, g, o from W x[t] + U h[t-1] + b by sigmoid (g:
/// tanh), c[t] = f c[t-1] + i g, h[t] = o tanh(c[t]). W begins Glorot uniform over all gates
/// together, U orthogonal, b 0 but 1 for the forget gate. The rows of W, U and b are in PyTorch's
/// order of the gates, which is Keras's too.
class KerasLstmImpl : public torch::nn::Module {
 public:
  KerasLstmImpl(int64_t inputs, int64_t units);

  /// steps x count x inputs to the last h, count x units.
  at::Tensor forward(const at::Tensor& x);

 private:
  int64_t units_;
  at::Tensor input_weight_;      // W, 4 units x inputs
  at::Tensor recurrent_weight_;  // U, 4 units x units
  at::Tensor bias_;              // b, 4 units
};
TORCH_MODULE(KerasLstm);

}  // namespace lapcast::workloads

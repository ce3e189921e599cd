#pragma once

#include <cstdint>

#include "models/recurrent_weights.h"

namespace lapcast::workloads {

/// Computes Keras's LSTM, with one bias per gate: gates i, f, g, o are sigmoid (g: tanh) of W x[t]
/// + U h[t-1] + b, c[t] = f c[t-1] + i g, h[t] = o tanh(c[t]). Initial W is Glorot uniform over all
/// gates together, U orthogonal, b 0 except 1 for the forget gate. The rows of W, U and b have the
/// gates in PyTorch's order, which is also Keras's.
class KerasLstmImpl : public RecurrentWeights {
 public:
  KerasLstmImpl(int64_t inputs, int64_t units);

  /// Maps steps x count x inputs to the last h, count x units.
  at::Tensor forward(const at::Tensor& x);
};
TORCH_MODULE(KerasLstm);

}  // namespace lapcast::workloads

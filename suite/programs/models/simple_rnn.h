#pragma once

#include <cstdint>

#include "models/recurrent_weights.h"

namespace lapcast::workloads {

/// Computes Keras's SimpleRNN: h[t] = tanh(W x[t] + U h[t-1] + b), h[0] = 0, with one bias. Initial
/// W is Glorot uniform, U orthogonal, b 0.
///
/// On a CPU, both directions of time are a loop of this class over LibTorch's matrix products. One
/// product computes all of W x before the loop. In the backward pass, after the loop, one product
/// over all time steps gives each gradient of W, U and b, where LibTorch adds up one small product
/// per step. On a GPU and in mixed precision, LibTorch's RNN is used.
class SimpleRnnImpl : public RecurrentWeights {
 public:
  SimpleRnnImpl(int64_t inputs, int64_t units);

  /// Maps steps x count x inputs to the last h, count x units.
  at::Tensor forward(const at::Tensor& x);
};
TORCH_MODULE(SimpleRnn);

}  // namespace lapcast::workloads

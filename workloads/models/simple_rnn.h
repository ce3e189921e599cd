#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>

namespace lapcast::workloads {

/// Keras's SimpleRNN: h[t] = tanh(W x[t] + U h[t-1] + b), h[0] = 0; one bias. W begins Glorot
/// uniform, U orthogonal, b 0.
///
/// On a CPU both directions of time are our own loop over LibTorch's matrix products: all of W x in
/// one product before it, and behind it, in the backward pass, the gradients of W, U and b each
/// from one product over all time steps, where LibTorch adds up one small product per step. On a
/// GPU, and in mixed precision, it is LibTorch's.
class SimpleRnnImpl : public torch::nn::Module {
 public:
  SimpleRnnImpl(int64_t inputs, int64_t units);

  /// steps x count x inputs to the last h, count x units.
  at::Tensor forward(const at::Tensor& x);

 private:
  at::Tensor input_weight_;      // W, units x inputs
  at::Tensor recurrent_weight_;  // U, units x units
  at::Tensor bias_;              // b, units
};
TORCH_MODULE(SimpleRnn);

}  // namespace lapcast::workloads

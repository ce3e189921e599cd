#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lapcast::workloads {

/// Adadelta (Zeiler, "ADADELTA: an adaptive learning rate method", arXiv:1212.5701), with the
/// learning rate that Keras and PyTorch scale its step by. LibTorch's C++ interface has none.
///
///   E[g2] = rho E[g2] + (1 - rho) g2          both averages begin at 0, as in Keras
///   d     = g sqrt(E[d2] + epsilon) / sqrt(E[g2] + epsilon)
///   E[d2] = rho E[d2] + (1 - rho) d2
///   x     = x - learning_rate d
struct AdadeltaOptions {
  double learning_rate = 1.0;
  double rho = 0.95;
  double epsilon = 1e-7;  ///< Keras's; PyTorch's own default is 1e-6
};

class Adadelta {
 public:
  /// Takes handles to the parameters, which must be dense float tensors.
  Adadelta(std::vector<at::Tensor> parameters, AdadeltaOptions options);

  /// Frees the gradients: backward() then stores new ones without adding.
  void zero_grad();

  /// One step from the gradients; parameters without one stay.
  void step();

  /// E[g2] and E[d2] of every parameter, to be saved or loaded.
  std::vector<at::Tensor>& squared_gradients() { return squared_gradients_; }
  std::vector<at::Tensor>& squared_steps() { return squared_steps_; }

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> squared_gradients_;
  std::vector<at::Tensor> squared_steps_;
  AdadeltaOptions options_;
};

}  // namespace lapcast::workloads

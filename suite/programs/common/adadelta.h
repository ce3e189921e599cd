#pragma once

#include "common/optimizer.h"

namespace lapcast::workloads {

/// Holds the options of Adadelta (Zeiler, "ADADELTA: an adaptive learning rate method",
/// arXiv:1212.5701) with the learning rate by which Keras and PyTorch scale its step. The C++
/// interface of LibTorch has no Adadelta.
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

class Adadelta : public Optimizer {
 public:
  Adadelta(std::vector<at::Tensor> parameters, AdadeltaOptions options = {});
  const char* name() const override { return "Adadelta"; }
  void step() override;
  std::vector<OptimizerState> state() const override;

 private:
  AdadeltaOptions options_;
  std::vector<at::Tensor> square_avg_;  // E[g2]
  std::vector<at::Tensor> acc_delta_;   // E[d2]
};

}  // namespace lapcast::workloads

#pragma once

#include "common/optimizer.h"

namespace lapcast::workloads {

/// Holds the options of RMSprop (Tieleman and Hinton, lecture 6.5, 2012), computed as
/// torch.optim.RMSprop does:
///
///   E[g2] = alpha E[g2] + (1 - alpha) g2
///   v     = momentum v + g / (sqrt(E[g2]) + epsilon),   x = x - learning_rate v
struct RmsPropOptions {
  double learning_rate = 0.001;
  double alpha = 0.9;  ///< Keras's rho; PyTorch's own default is 0.99
  double momentum = 0;
  double epsilon = 1e-7;  ///< Keras's; PyTorch's own default is 1e-8
};

class RmsProp : public Optimizer {
 public:
  RmsProp(std::vector<at::Tensor> parameters, RmsPropOptions options = {});
  const char* name() const override { return "RMSprop"; }
  void step() override;
  std::vector<OptimizerState> state() const override;

 private:
  RmsPropOptions options_;
  std::vector<at::Tensor> square_avg_;
  std::vector<at::Tensor> momentum_;
};

}  // namespace lapcast::workloads

#pragma once

#include "common/optimizer.h"

namespace lapcast::workloads {

/// Stochastic gradient descent, as torch.optim.SGD computes it:
///
///   v = momentum v + g (v = g at first),   x = x - learning_rate v
struct SgdOptions {
  double learning_rate = 0.01;
  double momentum = 0;
};

class Sgd : public Optimizer {
 public:
  Sgd(std::vector<at::Tensor> parameters, SgdOptions options = {});
  const char* name() const override { return "SGD"; }
  void step() override;
  std::vector<OptimizerState> state() const override;

 private:
  SgdOptions options_;
  std::vector<at::Tensor> momentum_;  // empty without momentum
};

}  // namespace lapcast::workloads

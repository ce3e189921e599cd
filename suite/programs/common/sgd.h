#pragma once

#include "common/optimizer.h"

namespace lapcast::workloads {

/// Holds the options of stochastic gradient descent, computed as torch.optim.SGD does:
///
///   v = momentum v + g (at first v = g),   x = x - learning_rate v
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

#pragma once

#include "common/optimizer.h"

namespace lapcast::workloads {

/// Holds the options of Adam (Kingma and Ba, arXiv:1412.6980, algorithm 1), computed as
/// torch.optim.Adam does:
///
///   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g2
///   x = x - learning_rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
struct AdamOptions {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;  ///< Keras's; PyTorch's own default is 1e-8
};

class Adam : public Optimizer {
 public:
  Adam(std::vector<at::Tensor> parameters, AdamOptions options = {});
  const char* name() const override { return "Adam"; }
  void step() override;
  std::vector<OptimizerState> state() const override;

 private:
  AdamOptions options_;
  std::vector<at::Tensor> exp_avg_;
  std::vector<at::Tensor> exp_avg_sq_;
  std::vector<at::Tensor> steps_;  // t, one float each, as in PyTorch
};

}  // namespace lapcast::workloads

#pragma once

#include "common/optimizer.h"

namespace lapcast::workloads {

/// Holds the options of LAMB (You et al., "Large batch optimization for deep learning: training
/// BERT in 76 minutes", arXiv:1904.00962, algorithm 2, with phi(z) = z): Adam's step r, with its
/// decay, has for each parameter x the length learning_rate |x|.
///
///   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g2
///   r = (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon) + decay x
///   x = x - learning_rate |x| / |r| r
///
/// Where a norm is 0, as that of a bias is at the start, |x| / |r| is taken as 1.
struct LambOptions {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-6;
  double decay = 0.01;  ///< of the weights
};

class Lamb : public Optimizer {
 public:
  Lamb(std::vector<at::Tensor> parameters, LambOptions options = {});
  const char* name() const override { return "LAMB"; }
  void step() override;
  std::vector<OptimizerState> state() const override;

 private:
  LambOptions options_;
  std::vector<at::Tensor> exp_avg_;
  std::vector<at::Tensor> exp_avg_sq_;
  std::vector<at::Tensor> steps_;  // t, one float each, as Adam has them
};

}  // namespace lapcast::workloads

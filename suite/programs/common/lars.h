#pragma once

#include "common/optimizer.h"

namespace lapcast::workloads {

/// Holds the options of LARS (You, Gitman, Ginsburg, "Large batch training of convolutional
/// networks", arXiv:1708.03888, algorithm 1): stochastic gradient descent whose rate for each
/// parameter follows from the norms of the parameter x and of its gradient g,
///
///   l = trust |x| / (|g| + decay |x|)
///   v = momentum v + learning_rate l (g + decay x),   x = x - v
///
/// The paper does not say what holds where a norm is 0, as that of a bias is at the start: then l
/// is `trust`.
struct LarsOptions {
  double learning_rate = 1;
  double momentum = 0.9;
  double decay = 0.0005;  ///< of the weights
  double trust = 0.001;   ///< the paper's eta
};

class Lars : public Optimizer {
 public:
  Lars(std::vector<at::Tensor> parameters, LarsOptions options = {});
  const char* name() const override { return "LARS"; }
  void step() override;
  std::vector<OptimizerState> state() const override;

 private:
  LarsOptions options_;
  std::vector<at::Tensor> momentum_;
};

}  // namespace lapcast::workloads

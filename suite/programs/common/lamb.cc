#include "common/lamb.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>

#include <utility>

namespace lapcast::workloads {

Lamb::Lamb(std::vector<at::Tensor> parameters, LambOptions options)
    : Optimizer(std::move(parameters), options.learning_rate),
      options_(options),
      exp_avg_(zeros()),
      exp_avg_sq_(zeros()),
      steps_(counters()) {}

void Lamb::step() {
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> g = gradients();
  at::_foreach_add_(steps_, 1);
  for (size_t i = 0; i < g.size(); ++i) {
    const at::Tensor& x = parameters()[i];
    exp_avg_[i].mul_(options_.beta1).add_(g[i], 1 - options_.beta1);
    exp_avg_sq_[i].mul_(options_.beta2).addcmul_(g[i], g[i], 1 - options_.beta2);
    const at::Tensor mean = exp_avg_[i] / (1 - at::pow(options_.beta1, steps_[i]));
    const at::Tensor square = exp_avg_sq_[i] / (1 - at::pow(options_.beta2, steps_[i]));
    const at::Tensor change = (mean / (square.sqrt() + options_.epsilon)).add_(x, options_.decay);
    const at::Tensor of_x = x.norm(), of_change = change.norm();
    x.sub_(change * (ratio_of(of_x, of_change, of_change) * step_rate()));
  }
}

std::vector<OptimizerState> Lamb::state() const {
  return {{"exp_avg", exp_avg_}, {"exp_avg_sq", exp_avg_sq_}, {"step", steps_}};
}

}  // namespace lapcast::workloads

#include "common/adam.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <utility>

namespace lapcast::workloads {

Adam::Adam(std::vector<at::Tensor> parameters, AdamOptions options)
    : Optimizer(std::move(parameters), options.learning_rate),
      options_(options),
      exp_avg_(zeros()),
      exp_avg_sq_(zeros()),
      steps_(counters()) {}

void Adam::step() {
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> g = gradients();
  at::_foreach_add_(steps_, 1);
  at::_fused_adam_(parameters(), g, exp_avg_, exp_avg_sq_, {}, steps_, step_rate(), options_.beta1,
                   options_.beta2, /*weight_decay=*/0, options_.epsilon,
                   /*amsgrad=*/false, /*maximize=*/false);
}

std::vector<OptimizerState> Adam::state() const {
  return {{"exp_avg", exp_avg_}, {"exp_avg_sq", exp_avg_sq_}, {"step", steps_}};
}

}  // namespace lapcast::workloads

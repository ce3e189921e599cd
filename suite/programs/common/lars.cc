#include "common/lars.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>

#include <utility>

namespace lapcast::workloads {

Lars::Lars(std::vector<at::Tensor> parameters, LarsOptions options)
    : Optimizer(std::move(parameters), options.learning_rate),
      options_(options),
      momentum_(zeros()) {}

void Lars::step() {
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> g = gradients();
  for (size_t i = 0; i < g.size(); ++i) {
    const at::Tensor& x = parameters()[i];
    const at::Tensor decayed = at::add(g[i], x, options_.decay);
    // Norms stay on their device, so that a GPU is not waited for.
    const at::Tensor of_x = x.norm(), of_g = g[i].norm();
    const at::Tensor ratio = ratio_of(of_x, of_g + of_x * options_.decay, of_g);
    momentum_[i].mul_(options_.momentum).add_(decayed * (ratio * (options_.trust * step_rate())));
    x.sub_(momentum_[i]);
  }
}

std::vector<OptimizerState> Lars::state() const {
  return {{"momentum_buffer", momentum_}};
}

}  // namespace lapcast::workloads

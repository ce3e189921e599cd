#include "common/sgd.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

#include <utility>

namespace lapcast::workloads {

Sgd::Sgd(std::vector<at::Tensor> parameters, SgdOptions options)
    : Optimizer(std::move(parameters), options.learning_rate), options_(options) {
  if (options_.momentum > 0) momentum_ = zeros();
}

void Sgd::step() {
  const c10::AutoGradMode no_grad(false);
  // The averages begin at 0, and momentum x 0 + g is g, so the first step needs no special case.
  at::_fused_sgd_(parameters(), gradients(), momentum_, /*weight_decay=*/0, options_.momentum,
                  step_rate(), /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false,
                  /*is_first_step=*/false);
}

std::vector<OptimizerState> Sgd::state() const {
  if (momentum_.empty()) return {};
  return {{"momentum_buffer", momentum_}};
}

}  // namespace lapcast::workloads

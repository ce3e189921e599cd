#include "common/rmsprop.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <utility>

namespace lapcast::workloads {
namespace {

/// Applies the whole rule in one pass over memory. The tensors have the same layout, without gaps.
void step_on_cpu(float* x, const float* g, float* g2, float* v, int64_t n, double learning_rate,
                 const RmsPropOptions& o) {
  constexpr int64_t kGrain = 16384;
  const auto lr = static_cast<float>(learning_rate);
  const auto alpha = static_cast<float>(o.alpha);
  const auto rest = static_cast<float>(1 - o.alpha);
  const auto momentum = static_cast<float>(o.momentum);
  const auto epsilon = static_cast<float>(o.epsilon);
  at::parallel_for(0, n, kGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float mean_g2 = alpha * g2[i] + rest * g[i] * g[i];
      g2[i] = mean_g2;
      v[i] = momentum * v[i] + g[i] / (std::sqrt(mean_g2) + epsilon);
      x[i] -= lr * v[i];
    }
  });
}

/// Applies the rule with operators over all tensors, on any device. On a GPU each is one kernel.
void step_with_operators(at::TensorList x, at::TensorList g, at::TensorList g2, at::TensorList v,
                         double learning_rate, const RmsPropOptions& o) {
  at::_foreach_mul_(g2, o.alpha);
  at::_foreach_addcmul_(g2, g, g, 1 - o.alpha);
  const std::vector<at::Tensor> root = at::_foreach_sqrt(g2);
  at::_foreach_add_(root, o.epsilon);
  at::_foreach_mul_(v, o.momentum);
  at::_foreach_addcdiv_(v, g, root);
  at::_foreach_add_(x, v, -learning_rate);
}

}  // namespace

RmsProp::RmsProp(std::vector<at::Tensor> parameters, RmsPropOptions options)
    : Optimizer(std::move(parameters), options.learning_rate),
      options_(options),
      square_avg_(zeros()),
      momentum_(zeros()) {}

void RmsProp::step() {
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> g = gradients();
  if (!are_arrays()) {
    return step_with_operators(parameters(), g, square_avg_, momentum_, step_rate(), options_);
  }
  for (size_t i = 0; i < g.size(); ++i) {
    const at::Tensor& x = parameters()[i];
    step_on_cpu(x.data_ptr<float>(), g[i].data_ptr<float>(), square_avg_[i].data_ptr<float>(),
                momentum_[i].data_ptr<float>(), x.numel(), step_rate(), options_);
  }
}

std::vector<OptimizerState> RmsProp::state() const {
  return {{"square_avg", square_avg_}, {"momentum_buffer", momentum_}};
}

}  // namespace lapcast::workloads

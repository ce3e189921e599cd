#include "common/adadelta.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <utility>

namespace lapcast::workloads {
namespace {

/// Applies the whole rule in one pass over memory. The tensors have the same layout, without gaps.
void step_on_cpu(float* x, const float* g, float* g2, float* d2, int64_t n, double learning_rate,
                 const AdadeltaOptions& o) {
  constexpr int64_t kGrain = 16384;
  const auto lr = static_cast<float>(learning_rate);
  const auto rho = static_cast<float>(o.rho);
  const auto rest = static_cast<float>(1 - o.rho);
  const auto epsilon = static_cast<float>(o.epsilon);
  at::parallel_for(0, n, kGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float mean_g2 = rho * g2[i] + rest * g[i] * g[i];
      const float d = g[i] * std::sqrt(d2[i] + epsilon) / std::sqrt(mean_g2 + epsilon);
      g2[i] = mean_g2;
      d2[i] = rho * d2[i] + rest * d * d;
      x[i] -= lr * d;
    }
  });
}

/// Applies the rule with operators over all tensors, on any device. On a GPU each is one kernel.
void step_with_operators(at::TensorList x, at::TensorList g, at::TensorList g2, at::TensorList d2,
                         double learning_rate, const AdadeltaOptions& o) {
  at::_foreach_mul_(g2, o.rho);
  at::_foreach_addcmul_(g2, g, g, 1 - o.rho);
  const std::vector<at::Tensor> d = at::_foreach_add(d2, o.epsilon);
  at::_foreach_sqrt_(d);
  at::_foreach_mul_(d, g);
  const std::vector<at::Tensor> root = at::_foreach_add(g2, o.epsilon);
  at::_foreach_sqrt_(root);
  at::_foreach_div_(d, root);
  at::_foreach_mul_(d2, o.rho);
  at::_foreach_addcmul_(d2, d, d, 1 - o.rho);
  at::_foreach_add_(x, d, -learning_rate);
}

}  // namespace

Adadelta::Adadelta(std::vector<at::Tensor> parameters, AdadeltaOptions options)
    : Optimizer(std::move(parameters), options.learning_rate),
      options_(options),
      square_avg_(zeros()),
      acc_delta_(zeros()) {}

void Adadelta::step() {
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> g = gradients();
  if (!are_arrays()) {
    return step_with_operators(parameters(), g, square_avg_, acc_delta_, step_rate(), options_);
  }
  for (size_t i = 0; i < g.size(); ++i) {
    const at::Tensor& x = parameters()[i];
    step_on_cpu(x.data_ptr<float>(), g[i].data_ptr<float>(), square_avg_[i].data_ptr<float>(),
                acc_delta_[i].data_ptr<float>(), x.numel(), step_rate(), options_);
  }
}

std::vector<OptimizerState> Adadelta::state() const {
  return {{"square_avg", square_avg_}, {"acc_delta", acc_delta_}};
}

}  // namespace lapcast::workloads

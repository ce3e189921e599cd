#include "common/rmsprop.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
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

/// Applies the rule with tensor operators, on any device.
void step_with_operators(at::Tensor& x, const at::Tensor& g, at::Tensor& g2, at::Tensor& v,
                         double learning_rate, const RmsPropOptions& o) {
  g2.mul_(o.alpha).addcmul_(g, g, 1 - o.alpha);
  v.mul_(o.momentum).addcdiv_(g, g2.sqrt().add_(o.epsilon));
  x.sub_(v, learning_rate);
}

}  // namespace

RmsProp::RmsProp(std::vector<at::Tensor> parameters, RmsPropOptions options)
    : Optimizer(std::move(parameters), options.learning_rate),
      options_(options),
      square_avg_(zeros()),
      momentum_(zeros()) {}

void RmsProp::step() {
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> all = gradients();
  for (size_t i = 0; i < all.size(); ++i) {
    at::Tensor x = parameters()[i];
    const at::Tensor& g = all[i];
    at::Tensor& g2 = square_avg_[i];
    at::Tensor& v = momentum_[i];
    if (is_one_array(x)) {
      step_on_cpu(x.data_ptr<float>(), g.data_ptr<float>(), g2.data_ptr<float>(),
                  v.data_ptr<float>(), x.numel(), learning_rate(), options_);
    } else {
      step_with_operators(x, g, g2, v, learning_rate(), options_);
    }
  }
}

std::vector<OptimizerState> RmsProp::state() const {
  return {{"square_avg", square_avg_}, {"momentum_buffer", momentum_}};
}

}  // namespace lapcast::workloads

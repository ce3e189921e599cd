#include "common/adadelta.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
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

/// Applies the rule with tensor operators, on any device.
void step_with_operators(at::Tensor& x, const at::Tensor& g, at::Tensor& g2, at::Tensor& d2,
                         double learning_rate, const AdadeltaOptions& o) {
  g2.mul_(o.rho).addcmul_(g, g, 1 - o.rho);
  const at::Tensor d = (d2 + o.epsilon).sqrt_().mul_(g).div_((g2 + o.epsilon).sqrt_());
  d2.mul_(o.rho).addcmul_(d, d, 1 - o.rho);
  x.sub_(d, learning_rate);
}

}  // namespace

Adadelta::Adadelta(std::vector<at::Tensor> parameters, AdadeltaOptions options)
    : Optimizer(std::move(parameters), options.learning_rate),
      options_(options),
      square_avg_(zeros()),
      acc_delta_(zeros()) {}

void Adadelta::step() {
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> all = gradients();
  for (size_t i = 0; i < all.size(); ++i) {
    at::Tensor x = parameters()[i];
    const at::Tensor& g = all[i];
    at::Tensor& g2 = square_avg_[i];
    at::Tensor& d2 = acc_delta_[i];
    if (is_one_array(x)) {
      step_on_cpu(x.data_ptr<float>(), g.data_ptr<float>(), g2.data_ptr<float>(),
                  d2.data_ptr<float>(), x.numel(), learning_rate(), options_);
    } else {
      step_with_operators(x, g, g2, d2, learning_rate(), options_);
    }
  }
}

std::vector<OptimizerState> Adadelta::state() const {
  return {{"square_avg", square_avg_}, {"acc_delta", acc_delta_}};
}

}  // namespace lapcast::workloads

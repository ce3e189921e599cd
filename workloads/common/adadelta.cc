#include "common/adadelta.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <utility>

namespace lapcast::workloads {
namespace {

/// The whole rule in one pass over memory. The tensors share one layout, without gaps.
void step_on_cpu(float* x, const float* g, float* g2, float* d2, int64_t n,
                 const AdadeltaOptions& o) {
  constexpr int64_t kGrain = 16384;
  const auto lr = static_cast<float>(o.learning_rate);
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

/// The same with tensor operators, wherever the tensors live.
void step_with_operators(at::Tensor& x, const at::Tensor& g, at::Tensor& g2, at::Tensor& d2,
                         const AdadeltaOptions& o) {
  g2.mul_(o.rho).addcmul_(g, g, 1 - o.rho);
  const at::Tensor d = (d2 + o.epsilon).sqrt_().mul_(g).div_((g2 + o.epsilon).sqrt_());
  d2.mul_(o.rho).addcmul_(d, d, 1 - o.rho);
  x.sub_(d, o.learning_rate);
}

}  // namespace

Adadelta::Adadelta(std::vector<at::Tensor> parameters, AdadeltaOptions options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const at::Tensor& p : parameters_) {
    squared_gradients_.push_back(at::zeros_like(p).set_requires_grad(false));
    squared_steps_.push_back(at::zeros_like(p).set_requires_grad(false));
  }
}

void Adadelta::zero_grad() {
  for (at::Tensor& p : parameters_) p.mutable_grad().reset();
}

void Adadelta::step() {
  const c10::AutoGradMode no_grad(false);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& x = parameters_[i];
    const at::Tensor& g = x.grad();
    at::Tensor& g2 = squared_gradients_[i];
    at::Tensor& d2 = squared_steps_[i];
    if (!g.defined()) continue;
    const bool one_pass = x.is_cpu() && x.scalar_type() == at::kFloat &&
                          x.is_non_overlapping_and_dense() && g.strides() == x.strides() &&
                          g2.strides() == x.strides() && d2.strides() == x.strides();
    if (one_pass) {
      step_on_cpu(x.data_ptr<float>(), g.data_ptr<float>(),
                  g2.data_ptr<float>(), d2.data_ptr<float>(), x.numel(), options_);
    } else {
      step_with_operators(x, g, g2, d2, options_);
    }
  }
}

}  // namespace lapcast::workloads

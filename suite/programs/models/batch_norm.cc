#include "models/batch_norm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

namespace lapcast::workloads {

BatchNorm::BatchNorm(int64_t channels, double scale, double epsilon) : epsilon_(epsilon) {
  weight_ = register_parameter("weight", at::full({channels}, scale));
  bias_ = register_parameter("bias", at::zeros({channels}));
  running_mean_ = register_buffer("running_mean", at::zeros({channels}));
  running_var_ = register_buffer("running_var", at::ones({channels}));
}

at::Tensor BatchNorm::forward(const at::Tensor& x, bool training) {
  constexpr double kMomentum = 0.1;
  constexpr bool kCudnn = true;
  return at::batch_norm(x, weight_, bias_, running_mean_, running_var_, training, kMomentum,
                        epsilon_, kCudnn);
}

void BatchNorm::freeze() {
  weight_.set_requires_grad(false);
  bias_.set_requires_grad(false);
}

BatchNorm::Affine BatchNorm::affine(double epsilon) const {
  const at::Tensor factor = weight_ * (running_var_ + epsilon).rsqrt();
  return {factor, bias_ - running_mean_ * factor};
}

}  // namespace lapcast::workloads

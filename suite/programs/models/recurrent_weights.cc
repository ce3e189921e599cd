#include "models/recurrent_weights.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <torch/nn/init.h>

#include "models/glorot.h"

namespace lapcast::workloads {

RecurrentWeights::RecurrentWeights(int64_t gates, int64_t inputs, int64_t units) {
  const int64_t rows = gates * units;
  input_weight_ = register_parameter("input_weight", at::empty({rows, inputs}));
  recurrent_weight_ = register_parameter("recurrent_weight", at::empty({rows, units}));
  bias_ = register_parameter("bias", at::empty({rows}));
  glorot_uniform(input_weight_, bias_);
  torch::nn::init::orthogonal_(recurrent_weight_);
  put_together();
}

void RecurrentWeights::to(at::Device device, at::ScalarType type, bool non_blocking) {
  Module::to(device, type, non_blocking);
  put_together();
}

void RecurrentWeights::to(at::ScalarType type, bool non_blocking) {
  Module::to(type, non_blocking);
  put_together();
}

void RecurrentWeights::to(at::Device device, bool non_blocking) {
  Module::to(device, non_blocking);
  put_together();
}

std::vector<at::Tensor> RecurrentWeights::all_weights() const {
  return {input_weight_, recurrent_weight_, bias_, second_bias_};
}

void RecurrentWeights::put_together() {
  const c10::AutoGradMode no_grad(false);
  const at::Tensor array =
      at::cat({input_weight_.flatten(), recurrent_weight_.flatten(), bias_, at::zeros_like(bias_)});
  int64_t first = 0;
  const auto next = [&](const at::Tensor& like) {
    first += like.numel();
    return array.narrow(0, first - like.numel(), like.numel()).view(like.sizes());
  };
  for (at::Tensor* weight : {&input_weight_, &recurrent_weight_, &bias_}) {
    weight->set_data(next(*weight));
  }
  second_bias_ = next(bias_);
}

}  // namespace lapcast::workloads

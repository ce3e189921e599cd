#include "models/keras_lstm.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <torch/nn/init.h>

#include "models/glorot.h"

namespace lapcast::workloads {

KerasLstmImpl::KerasLstmImpl(int64_t inputs, int64_t units) : units_(units) {
  input_weight_ = register_parameter("input_weight", at::empty({4 * units, inputs}));
  recurrent_weight_ = register_parameter("recurrent_weight", at::empty({4 * units, units}));
  bias_ = register_parameter("bias", at::empty({4 * units}));
  glorot_uniform(input_weight_, bias_);
  torch::nn::init::orthogonal_(recurrent_weight_);
  const c10::AutoGradMode no_grad(false);
  bias_.narrow(0, units, units).fill_(1);
}

at::Tensor KerasLstmImpl::forward(const at::Tensor& x) {
  const at::Tensor start = at::zeros({1, x.size(1), units_}, x.options());
  // LibTorch's LSTM has two biases.
  const at::Tensor none = at::zeros_like(bias_);
  const auto [outputs, hidden, cells] =
      at::lstm(x, {start, start}, {input_weight_, recurrent_weight_, bias_, none},
               /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0, is_training(),
               /*bidirectional=*/false, /*batch_first=*/false);
  return hidden.squeeze(0);
}

}  // namespace lapcast::workloads

#include "models/keras_lstm.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

namespace lapcast::workloads {

KerasLstmImpl::KerasLstmImpl(int64_t inputs, int64_t units)
    : RecurrentWeights(/*gates=*/4, inputs, units) {
  const c10::AutoGradMode no_grad(false);
  bias().narrow(0, units, units).fill_(1);
}

at::Tensor KerasLstmImpl::forward(const at::Tensor& x) {
  const at::Tensor start = at::zeros({1, x.size(1), units()}, x.options());
  const auto [outputs, hidden, cells] =
      at::lstm(x, {start, start}, all_weights(), /*has_biases=*/true, /*num_layers=*/1,
               /*dropout=*/0, is_training(), /*bidirectional=*/false, /*batch_first=*/false);
  return hidden.squeeze(0);
}

}  // namespace lapcast::workloads

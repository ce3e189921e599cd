#include "models/simple_rnn.h"

#include <ATen/Functions.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace lapcast::workloads {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Returns steps x count x n as one matrix.
at::Tensor rows_of(const at::Tensor& x) {
  return x.flatten(0, 1);
}

class LastState : public torch::autograd::Function<LastState> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& w,
                            const at::Tensor& u, const at::Tensor& b) {
    const int64_t steps = x.size(0), count = x.size(1);
    const at::Tensor inputs = at::addmm(b, rows_of(x), w.t()).view({steps, count, b.size(0)});
    const at::Tensor states = at::empty_like(inputs);
    for (int64_t t = 0; t < steps; ++t) {
      at::Tensor state = states[t];
      if (t > 0) {
        at::addmm_out(state, inputs[t], states[t - 1], u.t());
        state.tanh_();
      } else {
        at::tanh_out(state, inputs[t]);
      }
    }
    context->save_for_backward({x, w, u, states});
    return states[steps - 1].clone();
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &u = saved[2], &states = saved[3];
    const int64_t steps = states.size(0);
    const at::Tensor sums = at::empty_like(states);  // gradients before tanh
    at::Tensor state_gradient = gradients[0];
    for (int64_t t = steps - 1; t >= 0; --t) {
      at::Tensor sum = sums[t];
      at::tanh_backward_out(sum, state_gradient, states[t]);
      if (t > 0) state_gradient = at::mm(sum, u);
    }
    const at::Tensor all = rows_of(sums);
    const at::Tensor later = rows_of(sums.narrow(0, 1, steps - 1));
    const at::Tensor earlier = rows_of(states.narrow(0, 0, steps - 1));
    return {input_gradient(context, all, saved[1], x), at::mm(all.t(), rows_of(x)),
            at::mm(later.t(), earlier), all.sum(0)};
  }

 private:
  static at::Tensor input_gradient(AutogradContext* context, const at::Tensor& all,
                                   const at::Tensor& w, const at::Tensor& x) {
    return context->needs_input_grad(0) ? at::mm(all, w).view_as(x) : at::Tensor();
  }
};

}  // namespace

SimpleRnnImpl::SimpleRnnImpl(int64_t inputs, int64_t units)
    : RecurrentWeights(/*gates=*/1, inputs, units) {}

at::Tensor SimpleRnnImpl::forward(const at::Tensor& x) {
  const bool mixed = at::autocast::is_autocast_enabled(x.device().type());
  if (x.is_cpu() && !mixed) {
    return LastState::apply(x, input_weight(), recurrent_weight(), bias());
  }
  const at::Tensor start = at::zeros({1, x.size(1), units()}, x.options());
  const auto [outputs, last] =
      at::rnn_tanh(x, start, all_weights(), /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0,
                   is_training(), /*bidirectional=*/false, /*batch_first=*/false);
  return last.squeeze(0);
}

}  // namespace lapcast::workloads

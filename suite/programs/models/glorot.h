#pragma once

#include <ATen/core/Tensor.h>

namespace lapcast::workloads {

/// Sets initial weights as Keras does: uniform within sqrt(6 / (inputs + outputs)) (Glorot and
/// Bengio, 2010), biases 0. Weights of convolutions get channels-last memory order.
void glorot_uniform(at::Tensor weight, at::Tensor bias);

/// Sets the initial weights of a layer that LibTorch made.
template <typename Layer>
Layer glorot_uniform(Layer layer) {
  glorot_uniform(layer->weight, layer->bias);
  return layer;
}

}  // namespace lapcast::workloads

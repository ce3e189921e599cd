#include "models/glorot.h"

#include <torch/nn/init.h>

namespace lapcast::workloads {

void glorot_uniform(at::Tensor weight, at::Tensor bias) {
  torch::nn::init::xavier_uniform_(weight);
  torch::nn::init::zeros_(bias);
  if (weight.dim() == 4) weight.set_data(weight.contiguous(at::MemoryFormat::ChannelsLast));
}

}  // namespace lapcast::workloads

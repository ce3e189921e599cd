#include "models/seismic_fcn.h"

#include <ATen/Functions.h>
#include <torch/nn/init.h>

#include "common/random.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

/// Returns a convolution with Glorot uniform weights in channels-last order and no bias.
torch::nn::Conv2d conv_layer(int64_t in, int64_t out, int64_t kernel) {
  torch::nn::Conv2d layer(torch::nn::Conv2dOptions(in, out, kernel));
  torch::nn::init::xavier_uniform_(layer->weight);
  torch::nn::init::zeros_(layer->bias);
  layer->weight.set_data(layer->weight.contiguous(at::MemoryFormat::ChannelsLast));
  return layer;
}

/// Converts bytes that were scaled to 0..1 to amplitudes of -1..1 around 0.
at::Tensor amplitudes(const at::Tensor& x) {
  constexpr double kZero = 128.0 / 255, kScale = 255.0 / 127;
  return at::sub(x, kZero).mul_(kScale);
}

}  // namespace

SeismicFcn::SeismicFcn(double dropout) : dropout3_(dropout), dropout4_(dropout) {
  conv1_ = register_module("conv1", conv_layer(1, 6, 5));
  conv2_ = register_module("conv2", conv_layer(6, 16, 5));
  conv3_ = register_module("conv3", conv_layer(16, 120, 13));
  conv4_ = register_module("conv4", conv_layer(120, 84, 1));
  conv5_ = register_module("conv5", conv_layer(84, 2, 1));
}

at::Tensor SeismicFcn::forward(const at::Tensor& patches, bool training) {
  return score_map(patches, training).flatten(1);
}

at::Tensor SeismicFcn::score_map(const at::Tensor& sections, bool training) {
  // ReLU and max commute and give the same gradients, and ReLU after the pooling has a quarter of
  // the work.
  at::Tensor x = at::max_pool2d(conv1_->forward(amplitudes(sections)), 2).relu_();
  x = at::max_pool2d(conv2_->forward(x), 2).relu_();
  x = dropout3_(conv3_->forward(x).relu_(), training);
  x = dropout4_(conv4_->forward(x).relu_(), training);
  return conv5_->forward(x);
}

void SeismicFcn::seed_dropout(uint64_t seed) {
  dropout3_.seed(mix_seeds(seed, 1));
  dropout4_.seed(mix_seeds(seed, 2));
}

std::vector<LayerSize> SeismicFcn::layers() const {
  return {conv_size("conv1", 1, 6, 5, 60, 60),   plain_size("pool1", 30 * 30 * 6),
          conv_size("conv2", 6, 16, 5, 26, 26),  plain_size("pool2", 13 * 13 * 16),
          conv_size("conv3", 16, 120, 13, 1, 1), plain_size("dropout3", 120),
          conv_size("conv4", 120, 84, 1, 1, 1),  plain_size("dropout4", 84),
          conv_size("conv5", 84, 2, 1, 1, 1)};
}

}  // namespace lapcast::workloads

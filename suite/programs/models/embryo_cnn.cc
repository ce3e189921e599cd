#include "models/embryo_cnn.h"

#include <ATen/Functions.h>
#include <torch/nn/init.h>

#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kImageSide = 64;
constexpr int64_t kClasses = 4;
constexpr int64_t kDense = 1024;
constexpr int64_t kEmbryoFeatures = (kImageSide / 4) * (kImageSide / 4) * 64;

torch::nn::Conv2d conv5x5_same(int64_t in, int64_t out) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 5).padding(2));
}

void initialise(at::Tensor weight) {
  torch::nn::init::xavier_uniform_(weight);
  if (weight.dim() == 4) weight.set_data(weight.contiguous(at::MemoryFormat::ChannelsLast));
}

}  // namespace

EmbryoCnn::EmbryoCnn(double dropout) : has_dropout_(dropout > 0), dropout_(dropout) {
  conv1_ = register_module("conv1", conv5x5_same(1, 32));
  conv2_ = register_module("conv2", conv5x5_same(32, 64));
  dense1_ = register_module("dense1", torch::nn::Linear(kEmbryoFeatures, kDense));
  dense2_ = register_module(
      "dense2", torch::nn::Linear(torch::nn::LinearOptions(kDense, kClasses).bias(false)));
  for (const auto& weight : {conv1_->weight, conv2_->weight, dense1_->weight, dense2_->weight}) {
    initialise(weight);
  }
  for (const auto& bias : {conv1_->bias, conv2_->bias, dense1_->bias}) {
    torch::nn::init::zeros_(bias);
  }
}

at::Tensor EmbryoCnn::forward(const at::Tensor& images, bool training) {
  // ReLU and max commute and give the same gradients, and ReLU after the pooling has a quarter of
  // the work.
  at::Tensor x = at::max_pool2d(conv1_->forward(images), 2).relu_();
  x = at::max_pool2d(conv2_->forward(x), 2).relu_();
  x = x.permute({0, 2, 3, 1}).flatten(1);
  return dense2_->forward(dropout_(dense1_->forward(x).relu_(), training));
}

void EmbryoCnn::seed_dropout(uint64_t seed) {
  dropout_.seed(seed);
}

std::vector<LayerSize> EmbryoCnn::layers() const {
  constexpr int64_t kHalf = kImageSide / 2;
  std::vector<LayerSize> sizes = {
      conv_size("conv1", 1, 32, 5, kImageSide, kImageSide), plain_size("pool1", kHalf * kHalf * 32),
      conv_size("conv2", 32, 64, 5, kHalf, kHalf), plain_size("pool2", kEmbryoFeatures),
      dense_size("dense1", kEmbryoFeatures, kDense)};
  if (has_dropout_) sizes.push_back(plain_size("dropout", kDense));
  sizes.push_back(dense_size("dense2", kDense, kClasses, false));
  return sizes;
}

}  // namespace lapcast::workloads

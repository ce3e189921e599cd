#include "models/mnist_cnn.h"

#include <ATen/Functions.h>

#include "common/random.h"
#include "models/glorot.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kPooledSide = 12;
constexpr int64_t kCnnFeatures = kPooledSide * kPooledSide * 64;

torch::nn::Conv2d conv3x3(int64_t in, int64_t out) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3));
}

}  // namespace

MnistCnn::MnistCnn(double pool_dropout, double dense_dropout)
    : pool_dropout_(pool_dropout), dense_dropout_(dense_dropout) {
  conv1_ = register_module("conv1", conv3x3(1, 32));
  conv2_ = register_module("conv2", conv3x3(32, 64));
  dense1_ = register_module("dense1", torch::nn::Linear(kCnnFeatures, 128));
  dense2_ = register_module("dense2", torch::nn::Linear(128, 10));
  glorot_uniform(conv1_);
  glorot_uniform(conv2_);
  glorot_uniform(dense1_);
  glorot_uniform(dense2_);
}

at::Tensor MnistCnn::forward(const at::Tensor& images, bool training) {
  at::Tensor x = conv1_->forward(images).relu_();
  // ReLU and max commute and give the same gradients, and ReLU after the pooling has a quarter of
  // the work.
  x = at::max_pool2d(conv2_->forward(x), 2).relu_();
  x = x.permute({0, 2, 3, 1}).flatten(1);
  x = pool_dropout_(x, training);
  x = dense1_->forward(x).relu_();
  x = dense_dropout_(x, training);
  return dense2_->forward(x);
}

void MnistCnn::seed_dropout(uint64_t seed) {
  pool_dropout_.seed(mix_seeds(seed, 1));
  dense_dropout_.seed(mix_seeds(seed, 2));
}

std::vector<LayerSize> MnistCnn::layers() const {
  return {conv_size("conv1", 1, 32, 3, 26, 26),
          conv_size("conv2", 32, 64, 3, 24, 24),
          plain_size("pool", kCnnFeatures),
          plain_size("dropout1", kCnnFeatures),
          dense_size("dense1", kCnnFeatures, 128),
          plain_size("dropout2", 128),
          dense_size("dense2", 128, 10)};
}

}  // namespace lapcast::workloads

#include "models/mnist_cnn3.h"

#include <ATen/Functions.h>

#include "models/glorot.h"
#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kFilters = 64;
constexpr int64_t kCnn3Features = 3 * 3 * kFilters;

torch::nn::Conv2d conv3x3(int64_t in) {
  return glorot_uniform(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, kFilters, 3)));
}

/// Pools first: ReLU and max commute and give the same gradients, and ReLU then has a quarter of
/// the work.
at::Tensor pooled_relu(const at::Tensor& x) {
  return at::max_pool2d(x, 2).relu_();
}

}  // namespace

MnistCnn3::MnistCnn3(double dropout) : dropout_(dropout) {
  conv1_ = register_module("conv1", conv3x3(1));
  conv2_ = register_module("conv2", conv3x3(kFilters));
  conv3_ = register_module("conv3", conv3x3(kFilters));
  dense_ = register_module("dense", glorot_uniform(torch::nn::Linear(kCnn3Features, 10)));
}

at::Tensor MnistCnn3::forward(const at::Tensor& images, bool training) {
  at::Tensor x = pooled_relu(conv1_->forward(images));
  x = pooled_relu(conv2_->forward(x));
  x = conv3_->forward(x).relu_();
  x = x.permute({0, 2, 3, 1}).flatten(1);
  return dense_->forward(dropout_(x, training));
}

std::vector<LayerSize> MnistCnn3::layers() const {
  return {conv_size("conv1", 1, kFilters, 3, 26, 26),
          plain_size("pool1", 13 * 13 * kFilters),
          conv_size("conv2", kFilters, kFilters, 3, 11, 11),
          plain_size("pool2", 5 * 5 * kFilters),
          conv_size("conv3", kFilters, kFilters, 3, 3, 3),
          plain_size("dropout", kCnn3Features),
          dense_size("dense", kCnn3Features, 10)};
}

}  // namespace lapcast::workloads

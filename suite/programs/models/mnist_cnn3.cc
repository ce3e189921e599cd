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
  constexpr int64_t kMaps1 = 26 * 26 * kFilters, kPooled1 = 13 * 13 * kFilters;
  constexpr int64_t kMaps2 = 11 * 11 * kFilters, kPooled2 = 5 * 5 * kFilters;
  return {conv_size("conv1", 1, kFilters, 3, 26, 26),
          relu_pool_size("pool1", kMaps1, kPooled1),
          with_blocks(conv_size("conv2", kFilters, kFilters, 3, 11, 11), {}, {kPooled1}),
          relu_pool_size("pool2", kMaps2, kPooled2),
          with_blocks(conv_size("conv3", kFilters, kFilters, 3, 3, 3), {kCnn3Features},
                      {kCnn3Features, kPooled2}),
          dropout_size("dropout", kCnn3Features),
          with_blocks(dense_size("dense", kCnn3Features, 10), {kCnn3Features, 10},
                      {10, kCnn3Features})};
}

}  // namespace lapcast::workloads

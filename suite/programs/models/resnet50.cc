#include "models/resnet50.h"

#include <ATen/Functions.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/container/sequential.h>

#include <array>

#include "models/layer_sizes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kExpansion = 4;

/// Describes one of the four groups of blocks.
struct ResNetRow {
  int64_t width;
  int64_t blocks;
  int64_t stride;  // the first block's
  int64_t side;    // the output's, for images of 32x32
};
constexpr std::array<ResNetRow, 4> kStages = {
    {{64, 3, 1, 8}, {128, 4, 2, 4}, {256, 6, 2, 2}, {512, 3, 2, 1}}};

torch::nn::Conv2dOptions conv(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1) {
  return torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false);
}

/// Appends a convolution and its normalisation. Both outputs are kept: the first for the backward
/// pass of the normalisation, the second, after ReLU, as the next layer's input.
void add_sizes(std::vector<LayerSize>& sizes, const std::string& name, int64_t in, int64_t out,
               int64_t kernel, int64_t side) {
  const int64_t outputs = out * side * side;
  sizes.push_back(conv_size(name + ".conv", in, out, kernel, side, side, /*bias=*/false));
  sizes.push_back({name + ".norm", 2 * out, outputs, 0});
}

void add_block_sizes(std::vector<LayerSize>& sizes, const std::string& name, int64_t in,
                     const ResNetRow& stage) {
  const int64_t out = stage.width * kExpansion;
  add_sizes(sizes, name + ".reduce", in, stage.width, 1, stage.side);
  add_sizes(sizes, name + ".middle", stage.width, stage.width, 3, stage.side);
  add_sizes(sizes, name + ".expand", stage.width, out, 1, stage.side);
  if (in == out) return;
  add_sizes(sizes, name + ".shortcut", in, out, 1, stage.side);
  sizes.back().outputs = 0;  // This output is not kept: it is added to the block's output.
}

}  // namespace

NormedConv::NormedConv(torch::nn::Module& owner, const std::string& conv_name,
                       const std::string& norm_name, const torch::nn::Conv2dOptions& options,
                       double scale)
    : conv_(owner.register_module(conv_name, torch::nn::Conv2d(options))),
      norm_(owner.register_module(norm_name,
                                  std::make_shared<BatchNorm>(options.out_channels(), scale))) {
  torch::nn::init::kaiming_normal_(conv_->weight, 0, torch::kFanOut, torch::kReLU);
  conv_->weight.set_data(conv_->weight.contiguous(at::MemoryFormat::ChannelsLast));
}

at::Tensor NormedConv::operator()(const at::Tensor& x, bool training) {
  const at::Tensor y = conv_->forward(x);
  return norm_ ? norm_->forward(y, training) : y;
}

void NormedConv::fold_norm(double epsilon) {
  const auto [factor, shift] = norm_->affine(epsilon);
  const at::Tensor weight = conv_->weight.detach() * factor.detach().view({-1, 1, 1, 1});
  conv_->weight.set_data(weight.contiguous(at::MemoryFormat::ChannelsLast));
  // Registered, so that it follows the network to another device or type.
  conv_->bias = conv_->register_parameter("shift", shift.detach(), /*requires_grad=*/false);
  norm_.reset();
}

Bottleneck::Bottleneck(int64_t in, int64_t width, int64_t stride, StridePlace place,
                       double last_scale)
    : reduce_(*this, "conv1", "bn1", conv(in, width, 1, place == StridePlace::kFirst ? stride : 1)),
      middle_(*this, "conv2", "bn2",
              conv(width, width, 3, place == StridePlace::kMiddle ? stride : 1)),
      expand_(*this, "conv3", "bn3", conv(width, width * kExpansion, 1), last_scale) {
  if (in == width * kExpansion) return;
  const auto downsample = register_module("downsample", std::make_shared<torch::nn::Module>());
  shortcut_ =
      std::make_shared<NormedConv>(*downsample, "0", "1", conv(in, width * kExpansion, 1, stride));
}

at::Tensor Bottleneck::forward(const at::Tensor& x, bool training) {
  at::Tensor y = reduce_(x, training).relu_();
  y = middle_(y, training).relu_();
  y = expand_(y, training);
  return y.add_(shortcut_ ? (*shortcut_)(x, training) : x).relu_();
}

void Bottleneck::fold_norms(double epsilon) {
  reduce_.fold_norm(epsilon);
  middle_.fold_norm(epsilon);
  expand_.fold_norm(epsilon);
  if (shortcut_) shortcut_->fold_norm(epsilon);
}

ResNet50::ResNet50(int64_t classes) : classes_(classes) {
  stem_ = std::make_shared<NormedConv>(*this, "conv1", "bn1", conv(3, 64, 7, 2));
  int64_t in = 64;
  for (size_t s = 0; s < kStages.size(); ++s) {
    const auto layer =
        register_module("layer" + std::to_string(s + 1), std::make_shared<torch::nn::Module>());
    for (int64_t b = 0; b < kStages[s].blocks; ++b) {
      const int64_t stride = b == 0 ? kStages[s].stride : 1;
      blocks_.push_back(layer->register_module(
          std::to_string(b), std::make_shared<Bottleneck>(in, kStages[s].width, stride)));
      in = kStages[s].width * kExpansion;
    }
  }
  fc_ = register_module("fc", torch::nn::Linear(in, classes));
}

at::Tensor ResNet50::forward(const at::Tensor& images, bool training) {
  at::Tensor x = at::max_pool2d((*stem_)(images, training).relu_(), 3, 2, 1);
  for (const auto& block : blocks_) x = block->forward(x, training);
  return fc_->forward(x.mean({2, 3}));
}

std::vector<LayerSize> ResNet50::layers() const {
  std::vector<LayerSize> sizes;
  add_sizes(sizes, "stem", 3, 64, 7, 16);
  sizes.push_back(plain_size("pool", 8 * 8 * 64));
  int64_t in = 64;
  for (size_t s = 0; s < kStages.size(); ++s) {
    for (int64_t b = 0; b < kStages[s].blocks; ++b) {
      const std::string name = "layer" + std::to_string(s + 1) + "." + std::to_string(b);
      add_block_sizes(sizes, name, in, kStages[s]);
      in = kStages[s].width * kExpansion;
    }
  }
  sizes.push_back(plain_size("mean", in));
  sizes.push_back(dense_size("fc", in, classes_));
  return sizes;
}

}  // namespace lapcast::workloads

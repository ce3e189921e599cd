#include "detection/pyramid.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <array>
#include <string>

namespace lapcast::workloads {
namespace {

/// Keeps the numbers of random weights within bounds: a block adds little to its input.
constexpr double kLastScale = 0.25;
constexpr int64_t kGroups = 4;

std::array<int64_t, kGroups> blocks_of(int64_t layers) {
  return {3, 4, layers == 101 ? 23 : 6, 3};
}

/// Returns the channels of the outputs of a group of blocks.
int64_t outputs_of(int64_t group) {
  return int64_t{256} << group;
}

}  // namespace

torch::nn::Module& part_of(torch::nn::Module& owner, const std::string& name) {
  return *owner.register_module(name, std::make_shared<torch::nn::Module>());
}

torch::nn::Conv2d same_conv(torch::nn::Module& owner, const std::string& name, int64_t in,
                            int64_t out, int64_t kernel) {
  const auto options = torch::nn::Conv2dOptions(in, out, kernel).padding(kernel / 2);
  torch::nn::Conv2d conv = owner.register_module(name, torch::nn::Conv2d(options));
  conv->weight.set_data(conv->weight.contiguous(at::MemoryFormat::ChannelsLast));
  torch::nn::init::zeros_(conv->bias);
  return conv;
}

ResNetBody::ResNetBody(int64_t layers) {
  const auto options = torch::nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false);
  stem_ = std::make_shared<NormedConv>(*this, "conv1", "bn1", options);
  int64_t in = 64;
  for (int64_t group = 0; group < kGroups; ++group) {
    torch::nn::Module& owner = part_of(*this, "layer" + std::to_string(group + 1));
    const int64_t out = outputs_of(group);
    auto& blocks = groups_.emplace_back();
    for (int64_t b = 0; b < blocks_of(layers)[static_cast<size_t>(group)]; ++b) {
      const int64_t stride = b == 0 && group > 0 ? 2 : 1;
      blocks.push_back(owner.register_module(
          std::to_string(b),
          std::make_shared<Bottleneck>(in, out / 4, stride, StridePlace::kMiddle, kLastScale)));
      in = out;
    }
  }
  for (const auto& module : modules(/*include_self=*/false)) {
    if (auto* norm = module->as<BatchNorm>()) norm->freeze();
  }
}

std::vector<at::Tensor> ResNetBody::forward(const at::Tensor& images) {
  at::Tensor x = at::max_pool2d((*stem_)(images, false).relu_(), 3, 2, 1);
  std::vector<at::Tensor> outputs;
  for (const auto& blocks : groups_) {
    for (const auto& block : blocks) x = block->forward(x, false);
    outputs.push_back(x);
  }
  return outputs;
}

void ResNetBody::fold_norms(double epsilon) {
  stem_->fold_norm(epsilon);
  for (const auto& blocks : groups_) {
    for (const auto& block : blocks) block->fold_norms(epsilon);
  }
}

Pyramid::Pyramid(int64_t layers)
    : body_(register_module("body", std::make_shared<ResNetBody>(layers))) {
  torch::nn::Module& pyramid = part_of(*this, "fpn");
  const auto add = [&](const std::string& name, int64_t kernel,
                       std::vector<torch::nn::Conv2d>& convs) {
    torch::nn::Module& blocks = part_of(pyramid, name);
    for (int64_t i = 0; i < kGroups; ++i) {
      torch::nn::Module& block = part_of(blocks, std::to_string(i));
      const int64_t in = kernel == 1 ? outputs_of(i) : kChannels;
      convs.push_back(same_conv(block, "0", in, kChannels, kernel));
      torch::nn::init::kaiming_uniform_(convs.back()->weight, 1);
    }
  };
  add("inner_blocks", 1, inner_);
  add("layer_blocks", 3, outer_);
}

std::vector<at::Tensor> Pyramid::forward(const at::Tensor& images) {
  const std::vector<at::Tensor> outputs = body_->forward(images);
  std::vector<at::Tensor> maps;
  at::Tensor coarser;
  for (size_t i = outputs.size(); i-- > 0;) {
    at::Tensor inner = inner_[i]->forward(outputs[i]);
    if (coarser.defined()) {
      inner.add_(at::upsample_nearest2d(coarser, {inner.size(2), inner.size(3)}));
    }
    maps.push_back(outer_[i]->forward(inner));
    coarser = inner;
  }
  std::reverse(maps.begin(), maps.end());
  maps.push_back(at::max_pool2d(maps.back(), 1, 2));
  return maps;
}

}  // namespace lapcast::workloads

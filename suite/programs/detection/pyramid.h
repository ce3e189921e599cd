#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "models/resnet50.h"

namespace lapcast::workloads {

/// Is a ResNet with 50 or 101 layers (He et al., CVPR 2016, table 1) without its last dense layer,
/// as in torchvision: a block has its stride in its 3x3 convolution. Normalisations are frozen.
class ResNetBody : public torch::nn::Module {
 public:
  /// `layers` is 50 or 101.
  explicit ResNetBody(int64_t layers);

  /// Maps images (1 x 3 x rows x columns) to the outputs of the four groups of blocks: 256, 512,
  /// 1024 and 2048 channels with 1/4, 1/8, 1/16 and 1/32 of the sides.
  std::vector<at::Tensor> forward(const at::Tensor& images);
  void fold_norms(double epsilon);

 private:
  std::shared_ptr<NormedConv> stem_;
  std::vector<std::vector<std::shared_ptr<Bottleneck>>> groups_;
};

/// Is a feature pyramid (Lin et al., CVPR 2017) over a ResNet: the four outputs, reduced to 256
/// channels, each with the next coarser one added, and a fifth of half the sides of the last.
class Pyramid : public torch::nn::Module {
 public:
  explicit Pyramid(int64_t layers);

  /// Maps images to five maps of 256 channels, the finest first.
  std::vector<at::Tensor> forward(const at::Tensor& images);
  void fold_norms(double epsilon) { body_->fold_norms(epsilon); }

  static constexpr int64_t kChannels = 256;

 private:
  std::shared_ptr<ResNetBody> body_;
  std::vector<torch::nn::Conv2d> inner_;
  std::vector<torch::nn::Conv2d> outer_;
};

/// Makes an empty module of that name, which gives its members names: "owner.name.member".
torch::nn::Module& part_of(torch::nn::Module& owner, const std::string& name);

/// Returns a convolution with a bias, whose output is as large as its input, registered with
/// `owner`. Its weights are channels last; the bias begins at 0.
torch::nn::Conv2d same_conv(torch::nn::Module& owner, const std::string& name, int64_t in,
                            int64_t out, int64_t kernel);

}  // namespace lapcast::workloads

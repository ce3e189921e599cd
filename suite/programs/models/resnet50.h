#pragma once

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/network.h"
#include "models/batch_norm.h"

namespace lapcast::workloads {

/// Is a convolution without bias, followed by batch normalisation.
class NormedConv {
 public:
  /// Registers its modules with `owner`. Weights are He normal (fan out) in channels-last order;
  /// `scale` is the initial scale of the normalisation.
  NormedConv(torch::nn::Module& owner, const std::string& conv_name, const std::string& norm_name,
             const torch::nn::Conv2dOptions& options, double scale = 1);
  at::Tensor operator()(const at::Tensor& x, bool training);

  /// Makes the normalisation of validation a part of the convolution, which computes the same up to
  /// rounding. It cannot be trained any more, and its parameters are no longer those of a file.
  void fold_norm(double epsilon);

 private:
  torch::nn::Conv2d conv_;
  std::shared_ptr<BatchNorm> norm_;  // null when it is a part of the convolution
};

/// Says which convolution of a block has its stride: the first 1x1, as He et al. print it, or the
/// 3x3, as in torchvision ("version 1.5").
enum class StridePlace { kFirst, kMiddle };

/// Is a bottleneck block: 1x1 to `width` channels, 3x3, 1x1 to 4 x width, plus its input, which a
/// 1x1 convolution converts where the shapes differ.
class Bottleneck : public torch::nn::Module {
 public:
  /// `last_scale` is the initial scale of the last normalisation. With 0 the block begins as the
  /// identity.
  Bottleneck(int64_t in, int64_t width, int64_t stride, StridePlace place = StridePlace::kFirst,
             double last_scale = 0);
  at::Tensor forward(const at::Tensor& x, bool training);
  void fold_norms(double epsilon);

 private:
  NormedConv reduce_;
  NormedConv middle_;
  NormedConv expand_;
  std::shared_ptr<NormedConv> shortcut_;  // null when the input is added as it is
};

/// Is ResNet-50 (He et al., "Deep residual learning for image recognition", CVPR 2016, table 1) in
/// its first version, whose blocks have their stride in the first 1x1 convolution:
///
///   32x32x3   conv 7x7, 64, stride 2          -> 16x16x64
///             max-pool 3x3, stride 2          -> 8x8x64
///             3 blocks of  64/ 256            -> 8x8x256
///             4 blocks of 128/ 512, stride 2  -> 4x4x512
///             6 blocks of 256/1024, stride 2  -> 2x2x1024
///             3 blocks of 512/2048, stride 2  -> 1x1x2048
///             mean over the image, dense 10
///
/// It has 23,528,522 parameters for ten classes. Parameters and buffers have the names of PyTorch's
/// torchvision. The last normalisation of each block begins with scale 0, so that the block begins
/// as the identity (Goyal et al., arXiv:1706.02677, section 5.1).
class ResNet50 : public Network {
 public:
  explicit ResNet50(int64_t classes);

  /// Maps images (count x 3 x rows x columns, 0..1) to logits (count x classes).
  at::Tensor forward(const at::Tensor& images, bool training) override;
  std::vector<int64_t> input_shape() const override { return {3, 32, 32}; }

  /// Returns the layers for images of 32x32.
  std::vector<LayerSize> layers() const override;

 private:
  int64_t classes_;
  std::shared_ptr<NormedConv> stem_;
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace lapcast::workloads

#pragma once

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "common/network.h"

namespace lapcast::workloads {

/// Is the customary Keras autoencoder, for the study [G] (see ../suite.toml):
///
///   28x28x1   conv 3x3, stride 2, 32 filters, ReLU         -> 14x14x32        320 parameters
///             conv 3x3, stride 2, 64 filters, ReLU         -> 7x7x64       18,496
///             dense 16                                     -> 16           50,192
///             dense 3,136                                  -> 7x7x64       53,312
///             transposed conv 3x3, stride 2, 64, ReLU      -> 14x14x64     36,928
///             transposed conv 3x3, stride 2, 32, ReLU      -> 28x28x32     18,464
///             transposed conv 3x3, 1 filter, sigmoid       -> 28x28x1         289
///                                                                         178,001
///
/// Initial weights are Keras's: Glorot uniform, biases 0. Strided layers pad one row and one column
/// at the top left, where Keras pads at the bottom right. It is thus Keras's network for images
/// rotated by 180 degrees, with the same distribution of initial weights.
class MnistAutoencoder : public Network {
 public:
  MnistAutoencoder();

  /// Maps images (count x 1 x 28 x 28, 0..1) to images.
  at::Tensor forward(const at::Tensor& images, bool training) override;
  std::vector<int64_t> input_shape() const override { return {1, 28, 28}; }
  std::vector<LayerSize> layers() const override;

 private:
  at::Tensor encode(const at::Tensor& images);
  at::Tensor decode(const at::Tensor& codes);

  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
  torch::nn::Linear encode_{nullptr};
  torch::nn::Linear decode_{nullptr};
  torch::nn::ConvTranspose2d deconv1_{nullptr};
  torch::nn::ConvTranspose2d deconv2_{nullptr};
  torch::nn::ConvTranspose2d deconv3_{nullptr};
};

}  // namespace lapcast::workloads

#pragma once

#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <vector>

#include "common/dropout.h"
#include "common/network.h"

namespace lapcast::workloads {

/// Is LeNet-5 (LeCun et al., "Gradient-based learning applied to document recognition", Proc. IEEE
/// 86, 1998) on patches of 64x64. Its dense layers are written as convolutions, so the same weights
/// also run over a whole section and give a map of scores:
///
///   64x64x1   conv 5x5, 6 maps, ReLU          -> 60x60x6          156 parameters
///             max-pool 2x2                    -> 30x30x6
///             conv 5x5, 16 maps, ReLU         -> 26x26x16       2,416
///             max-pool 2x2                    -> 13x13x16
///             conv 13x13, 120 maps, ReLU      -> 1x1x120      324,600
///             dropout, conv 1x1, 84 maps, ReLU -> 1x1x84       10,164
///             dropout, conv 1x1, 2 maps       -> 1x1x2            170
///                                                             337,506
///
/// Initial weights are Glorot uniform, biases 0.
class SeismicFcn : public Network {
 public:
  /// A dropout precedes each of the last two layers; 0 means none.
  explicit SeismicFcn(double dropout);

  /// Maps patches (count x 1 x 64 x 64, amplitudes as bytes scaled to 0..1) to logits (count x 2).
  at::Tensor forward(const at::Tensor& patches, bool training) override;

  /// Maps sections (count x 1 x rows x columns, at least 64x64) to logits for every fourth sample
  /// of every fourth trace at which a whole patch fits: count x 2 x ((rows - 64) / 4 + 1) x ...
  at::Tensor score_map(const at::Tensor& sections, bool training);

  void seed_dropout(uint64_t seed) override;
  std::vector<int64_t> input_shape() const override { return {1, 64, 64}; }
  std::vector<LayerSize> layers() const override;

 private:
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
  torch::nn::Conv2d conv3_{nullptr};
  torch::nn::Conv2d conv4_{nullptr};
  torch::nn::Conv2d conv5_{nullptr};
  Dropout dropout3_;
  Dropout dropout4_;
};

}  // namespace lapcast::workloads

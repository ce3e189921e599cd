#pragma once

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "common/dropout.h"
#include "common/network.h"

namespace lapcast::workloads {

/// Is the network of [L] (see embryo/frames.h), sections II-C and II-D:
///
///   64x64x1   conv 5x5, 32 filters, same, ReLU  -> 64x64x32         832 parameters
///             max-pool 2x2                      -> 32x32x32
///             conv 5x5, 64 filters, same, ReLU  -> 32x32x64      51,264
///             max-pool 2x2, flatten             -> 16,384
///             dense 1024, ReLU                               16,778,240
///             dense 4, no bias                                    4,096
///                                                            16,834,432
///
/// [L] adds these four terms up to 16,832,432, and says that the second convolution gives 1,024
/// maps, which its own parameter count contradicts. Initial weights are Glorot uniform, biases 0.
/// Activations are channels last in memory.
class EmbryoCnn : public Network {
 public:
  /// A dropout precedes the last layer; 0 means none, as in [L].
  explicit EmbryoCnn(double dropout = 0);

  /// Maps images (count x 1 x 64 x 64, 0..1) to logits (count x 4).
  at::Tensor forward(const at::Tensor& images, bool training) override;
  void seed_dropout(uint64_t seed) override;
  std::vector<int64_t> input_shape() const override { return {1, 64, 64}; }
  std::vector<LayerSize> layers() const override;

 private:
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
  torch::nn::Linear dense1_{nullptr};
  torch::nn::Linear dense2_{nullptr};
  bool has_dropout_;
  Dropout dropout_;
};

}  // namespace lapcast::workloads

#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/inception_block.h"

namespace lapcast::workloads {

/// Is Inception v3 (Szegedy et al., "Rethinking the Inception architecture for computer vision",
/// CVPR 2016) as torchvision defines it: parameters and buffers have its names, and equal weights
/// give equal outputs. Images have at least 75x75 pixels.
///
///   299x299x3  conv 3x3, 32, stride 2; conv 3x3, 32; conv 3x3, 64, same  -> 147x147x64
///              max-pool 3x3, stride 2; conv 1x1, 80; conv 3x3, 192       -> 71x71x192
///              max-pool 3x3, stride 2; three blocks A                    -> 35x35x288
///              block B; four blocks C                                    -> 17x17x768
///              block D; two blocks E                                     -> 8x8x2048
///              mean over the image, dropout 0.5, dense
///
/// It has 27,161,264 parameters with the auxiliary head, for 1000 classes, and 21,785,568 without
/// both heads.
class InceptionV3 : public torch::nn::Module {
 public:
  /// Without classes there is no head, and forward() must not be called.
  explicit InceptionV3(int64_t classes = 0, bool auxiliary = false);

  struct Outputs {
    at::Tensor logits;  ///< count x classes
    at::Tensor
        auxiliary;  ///< the same of the auxiliary head; undefined without it and in validation
  };
  Outputs forward(const at::Tensor& images, bool training);

  /// Maps images (count x 3 x rows x columns, -1..1) to their features (count x 2048).
  at::Tensor features(const at::Tensor& images, bool training) {
    return maps(images, training).second;
  }

  /// Appends the layers up to features(); the images have this size.
  void add_sizes(std::vector<LayerSize>& sizes, ImageSize size) const;

  static constexpr int64_t kFeatures = 2048;

 private:
  /// Returns the output of the last block C and the features.
  std::pair<at::Tensor, at::Tensor> maps(const at::Tensor& images, bool training);

  template <typename Layer>
  struct Named {
    std::string name;
    std::shared_ptr<Layer> layer;
  };

  std::vector<Named<InceptionConvLayer>> stem_;
  std::vector<Named<InceptionBlock>> blocks_;
  std::vector<std::shared_ptr<InceptionConvLayer>> auxiliary_;
  torch::nn::Linear auxiliary_fc_{nullptr};
  torch::nn::Linear fc_{nullptr};
};

}  // namespace lapcast::workloads

#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "common/network.h"
#include "models/inception_v3.h"

namespace lapcast::workloads {

/// Is the classifier of diabetic retinopathy of [K] (section 4.3.1): Inception v3 without its
/// heads, the mean over the image, dense 1024 with ReLU, and dense 5. The softmax is part of the
/// loss. It has 23,888,869 parameters; the new layers begin Glorot uniform.
class IcDr : public Network {
 public:
  static constexpr int64_t kGrades = 5;

  /// Takes images of side x side pixels, at least 75. The weights of Inception v3 come from `file`,
  /// a state dict of torchvision's inception_v3, where one is given. Throws std::runtime_error with
  /// one line.
  explicit IcDr(int64_t side, const std::filesystem::path& file = {});

  /// Maps images (count x 3 x side x side, 0..1) to logits (count x 5).
  at::Tensor forward(const at::Tensor& images, bool training) override;
  std::vector<int64_t> input_shape() const override { return {3, side_, side_}; }
  std::vector<LayerSize> layers() const override;

 private:
  int64_t side_;
  std::shared_ptr<InceptionV3> inception_;
  torch::nn::Linear dense1_{nullptr};
  torch::nn::Linear dense2_{nullptr};
};

}  // namespace lapcast::workloads

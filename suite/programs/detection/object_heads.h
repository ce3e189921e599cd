#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "detection/boxes.h"

namespace lapcast::workloads {

/// Says which boxes become detections.
struct DetectionLimits {
  double least_score = 0.05;
  double most_overlap = 0.5;  ///< with a better one of the same class
  int64_t count = 100;
};

/// Holds the objects that were found in an image, the most probable first.
struct Detections {
  at::Tensor boxes;   ///< n x 4
  at::Tensor labels;  ///< n whole numbers; 0 is the background and never found
  at::Tensor scores;  ///< n, 0..1
  at::Tensor masks;   ///< n x 1 x rows x columns, 0..1
};

/// Says which class a proposed box has, and where exactly it is (Girshick, "Fast R-CNN", ICCV
/// 2015).
class BoxHead {
 public:
  /// Registers its layers with `owner`.
  BoxHead(torch::nn::Module& owner, int64_t channels, int64_t classes);

  /// Returns the detections without masks.
  Detections detect(const std::vector<at::Tensor>& maps, const at::Tensor& proposals,
                    const Sides& image, const DetectionLimits& limits);

 private:
  torch::nn::Linear first_{nullptr};
  torch::nn::Linear second_{nullptr};
  torch::nn::Linear scores_{nullptr};
  torch::nn::Linear differences_{nullptr};
};

/// Says which pixels of a detected box belong to the object (He et al., "Mask R-CNN", ICCV 2017).
class MaskHead {
 public:
  /// Registers its layers with `owner`.
  MaskHead(torch::nn::Module& owner, int64_t channels, int64_t classes);

  /// Returns masks (n x 1 x 28 x 28, 0..1) of the boxes for their labels.
  at::Tensor masks(const std::vector<at::Tensor>& maps, const at::Tensor& boxes,
                   const at::Tensor& labels);

 private:
  std::vector<torch::nn::Conv2d> convs_;
  torch::nn::ConvTranspose2d enlarge_{nullptr};
  torch::nn::Conv2d logits_{nullptr};
};

}  // namespace lapcast::workloads

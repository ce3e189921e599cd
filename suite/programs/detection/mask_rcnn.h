#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "detection/boxes.h"
#include "detection/object_heads.h"
#include "detection/pyramid.h"
#include "detection/region_proposals.h"

namespace lapcast::workloads {

/// Holds what torchvision's constructor of the network takes beside its layers, with the same
/// defaults.
struct DetectionSettings {
  int64_t short_side = 800;  ///< an image is resized so that its shorter side has so many pixels,
  int64_t long_side = 1333;  ///< or its longer side so many, whichever is smaller
  ProposalLimits proposals;
  DetectionLimits detections;
};

/// Returns the size to which an image is resized. Sides are cut to whole pixels and are at least 1.
Sides resized(const Sides& image, const DetectionSettings& settings);

/// Is Mask R-CNN over a ResNet with a feature pyramid (He et al., "Mask R-CNN", ICCV 2017), for
/// inference, as torchvision's maskrcnn_resnet50_fpn defines it. Parameters and buffers have
/// torchvision's names. With 91 classes it trains 44,401,393 numbers over ResNet-50 and 63,341,297
/// over ResNet-101; normalisations of the ResNet are frozen and do not count.
///
/// First weights are drawn as torchvision draws them, but for two scales, which keep the numbers of
/// an untrained network within bounds and make it find objects: the last normalisation of each
/// block begins with 0.25, and the scores' weights are wider.
class MaskRcnn : public torch::nn::Module {
 public:
  /// `layers` is 50 or 101.
  explicit MaskRcnn(int64_t layers, int64_t classes = 91);

  /// Finds objects in a picture (3 x rows x columns, 0..1). Boxes and masks are those of the
  /// picture in its own size. Must be called without gradients.
  Detections detect(const at::Tensor& picture, const DetectionSettings& settings);

  /// Makes the normalisations a part of the convolutions; call it once, when the weights are final.
  void fold_norms(double epsilon) { pyramid_->fold_norms(epsilon); }

  /// Returns the number of numbers that a training changes.
  int64_t trained_numbers() const;

 private:
  std::shared_ptr<Pyramid> pyramid_;
  std::shared_ptr<RegionProposals> proposals_;
  std::shared_ptr<BoxHead> boxes_;
  std::shared_ptr<MaskHead> masks_;
};

}  // namespace lapcast::workloads

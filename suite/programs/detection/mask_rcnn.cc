#include "detection/mask_rcnn.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "detection/paste_masks.h"

namespace lapcast::workloads {
namespace {

/// The sides of what the network sees are multiples of the coarsest map's pixel.
constexpr int64_t kCoarsestPixel = 32;

/// Returns the picture with the mean 0 and deviation 1 of ImageNet's colours.
at::Tensor normalized(const at::Tensor& picture) {
  const auto colours = [&](float red, float green, float blue) {
    return at::tensor({red, green, blue}).view({3, 1, 1}).to(picture.device());
  };
  return (picture - colours(0.485f, 0.456f, 0.406f)) / colours(0.229f, 0.224f, 0.225f);
}

/// Returns one image whose sides are multiples, with zeros on the right and at the bottom.
at::Tensor padded(const at::Tensor& image) {
  const auto missing = [](int64_t side) {
    return (kCoarsestPixel - side % kCoarsestPixel) % kCoarsestPixel;
  };
  return at::constant_pad_nd(image, {0, missing(image.size(3)), 0, missing(image.size(2))})
      .contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

Sides resized(const Sides& image, const DetectionSettings& settings) {
  const auto ratio = [](int64_t a, int64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  const auto [shorter, longer] = std::minmax(image.height, image.width);
  const double scale =
      std::min(ratio(settings.short_side, shorter), ratio(settings.long_side, longer));
  const auto side = [&](int64_t pixels) {
    const double scaled = std::floor(static_cast<double>(pixels) * scale);
    return std::max<int64_t>(static_cast<int64_t>(scaled), 1);
  };
  return {side(image.height), side(image.width)};
}

MaskRcnn::MaskRcnn(int64_t layers, int64_t classes)
    : pyramid_(register_module("backbone", std::make_shared<Pyramid>(layers))),
      proposals_(register_module("rpn", std::make_shared<RegionProposals>(Pyramid::kChannels))) {
  torch::nn::Module& heads = part_of(*this, "roi_heads");
  boxes_ = std::make_shared<BoxHead>(heads, Pyramid::kChannels, classes);
  masks_ = std::make_shared<MaskHead>(heads, Pyramid::kChannels, classes);
}

Detections MaskRcnn::detect(const at::Tensor& picture, const DetectionSettings& settings) {
  const Sides own{picture.size(1), picture.size(2)};
  const Sides image = resized(own, settings);
  const at::Tensor seen = padded(at::upsample_bilinear2d(
      normalized(picture).unsqueeze(0), {image.height, image.width}, /*align_corners=*/false));
  const std::vector<at::Tensor> maps = pyramid_->forward(seen);
  const at::Tensor proposals =
      proposals_->forward(maps, {seen.size(2), seen.size(3)}, image, settings.proposals);
  Detections found = boxes_->detect(maps, proposals, image, settings.detections);
  const at::Tensor masks = masks_->masks(maps, found.boxes, found.labels);
  found.boxes = rescale_boxes(found.boxes, image, own);
  found.masks = paste_masks(masks, found.boxes, own);
  return found;
}

int64_t MaskRcnn::trained_numbers() const {
  int64_t count = 0;
  for (const at::Tensor& parameter : parameters()) {
    if (parameter.requires_grad()) count += parameter.numel();
  }
  return count;
}

}  // namespace lapcast::workloads

#include "detection/object_heads.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/nn/init.h>

#include <string>

#include "detection/pyramid.h"
#include "detection/roi_align.h"
#include "detection/suppression.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kBoxSide = 7, kMaskSide = 14;  // of what the heads see of a box
constexpr int64_t kBoxOutputs = 1024;
constexpr int64_t kMaskConvs = 4;
/// Is the deviation of the scores' first weights, with which an untrained network is as sure of
/// objects as a trained one, and finds as many as it may.
constexpr double kScoreDeviation = 1;
constexpr double kSmallestDetection = 1e-2;  // pixels
constexpr BoxWeights kDetectionWeights = {10, 10, 5, 5};

}  // namespace

BoxHead::BoxHead(torch::nn::Module& owner, int64_t channels, int64_t classes) {
  torch::nn::Module& head = part_of(owner, "box_head");
  const int64_t inputs = channels * kBoxSide * kBoxSide;
  first_ = head.register_module("fc6", torch::nn::Linear(inputs, kBoxOutputs));
  second_ = head.register_module("fc7", torch::nn::Linear(kBoxOutputs, kBoxOutputs));
  torch::nn::Module& predictor = part_of(owner, "box_predictor");
  scores_ = predictor.register_module("cls_score", torch::nn::Linear(kBoxOutputs, classes));
  torch::nn::init::normal_(scores_->weight, 0, kScoreDeviation);
  differences_ =
      predictor.register_module("bbox_pred", torch::nn::Linear(kBoxOutputs, 4 * classes));
}

Detections BoxHead::detect(const std::vector<at::Tensor>& maps, const at::Tensor& proposals,
                           const Sides& image, const DetectionLimits& limits) {
  at::Tensor x = align_in_pyramid(maps, proposals, kBoxSide).flatten(1);
  x = second_->forward(first_->forward(x).relu_()).relu_();
  const at::Tensor probabilities = scores_->forward(x).softmax(1);
  const at::Tensor decoded = decode_boxes(differences_->forward(x), proposals, kDetectionWeights);
  // Class 0 is the background.
  const int64_t classes = probabilities.size(1);
  const at::Tensor boxes = clip_boxes(decoded, image).slice(1, 1, classes).reshape({-1, 4});
  const at::Tensor scores = probabilities.slice(1, 1, classes).reshape(-1);
  const at::Tensor labels =
      at::arange(1, classes, proposals.options().dtype(at::kLong)).repeat({proposals.size(0)});
  const at::Tensor likely =
      ((scores > limits.least_score) & at_least(boxes, kSmallestDetection)).nonzero().squeeze(1);
  const at::Tensor kept = suppress(boxes.index_select(0, likely), scores.index_select(0, likely),
                                   labels.index_select(0, likely), limits.most_overlap);
  const at::Tensor best = likely.index_select(0, kept.slice(0, 0, limits.count));
  return {
      boxes.index_select(0, best), labels.index_select(0, best), scores.index_select(0, best), {}};
}

MaskHead::MaskHead(torch::nn::Module& owner, int64_t channels, int64_t classes) {
  torch::nn::Module& head = part_of(owner, "mask_head");
  for (int64_t i = 0; i < kMaskConvs; ++i) {
    convs_.push_back(same_conv(part_of(head, std::to_string(i)), "0", channels, channels, 3));
  }
  torch::nn::Module& predictor = part_of(owner, "mask_predictor");
  const auto options = torch::nn::ConvTranspose2dOptions(channels, channels, 2).stride(2);
  enlarge_ = predictor.register_module("conv5_mask", torch::nn::ConvTranspose2d(options));
  logits_ = same_conv(predictor, "mask_fcn_logits", channels, classes, 1);
  for (const torch::nn::Conv2d& conv : convs_) {
    torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
  }
  torch::nn::init::kaiming_normal_(enlarge_->weight, 0, torch::kFanOut, torch::kReLU);
  torch::nn::init::kaiming_normal_(logits_->weight, 0, torch::kFanOut, torch::kReLU);
}

at::Tensor MaskHead::masks(const std::vector<at::Tensor>& maps, const at::Tensor& boxes,
                           const at::Tensor& labels) {
  at::Tensor x = align_in_pyramid(maps, boxes, kMaskSide);
  for (torch::nn::Conv2d& conv : convs_) x = conv->forward(x).relu_();
  const at::Tensor logits = logits_->forward(enlarge_->forward(x).relu_());
  const at::Tensor own = at::arange(labels.size(0), labels.options());
  return logits.index({own, labels}).sigmoid().unsqueeze(1);
}

}  // namespace lapcast::workloads

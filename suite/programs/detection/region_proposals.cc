#include "detection/region_proposals.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/nn/init.h>

#include <algorithm>

#include "detection/anchors.h"
#include "detection/pyramid.h"
#include "detection/suppression.h"

namespace lapcast::workloads {
namespace {

constexpr double kProposalOverlap = 0.7;
constexpr double kSmallestProposal = 1e-3;  // pixels
constexpr BoxWeights kProposalWeights = {1, 1, 1, 1};

/// Holds what one map says of its anchors with the best scores.
struct BestAnchors {
  at::Tensor scores, differences, indices;
};

/// Returns what the network says of each anchor, as rows: places of the map, then shapes.
at::Tensor by_anchor(const at::Tensor& outputs, int64_t numbers) {
  return outputs.permute({0, 2, 3, 1}).reshape({-1, numbers});
}

BestAnchors best_anchors(const at::Tensor& scores, const at::Tensor& differences, int64_t most) {
  const at::Tensor all = by_anchor(scores, 1).squeeze(1);
  const auto [best, indices] = at::topk(all, std::min(most, all.size(0)));
  return {best, by_anchor(differences, 4).index_select(0, indices), indices};
}

}  // namespace

RegionProposals::RegionProposals(int64_t channels) {
  torch::nn::Module& head = part_of(*this, "head");
  torch::nn::Module& first = part_of(part_of(head, "conv"), "0");
  shared_ = same_conv(first, "0", channels, channels, 3);
  scores_ = same_conv(head, "cls_logits", channels, kAnchorShapes, 1);
  differences_ = same_conv(head, "bbox_pred", channels, 4 * kAnchorShapes, 1);
  for (const torch::nn::Conv2d& conv : {shared_, scores_, differences_}) {
    torch::nn::init::normal_(conv->weight, 0, 0.01);
  }
}

at::Tensor RegionProposals::forward(const std::vector<at::Tensor>& maps, const Sides& padded,
                                    const Sides& image, const ProposalLimits& limits) {
  std::vector<Sides> sizes;
  std::vector<at::Tensor> scores, differences, indices, levels;
  int64_t anchors_before = 0;
  for (const at::Tensor& map : maps) {
    const at::Tensor shared = shared_->forward(map).relu_();
    const BestAnchors best =
        best_anchors(scores_->forward(shared), differences_->forward(shared), limits.of_a_map);
    scores.push_back(best.scores);
    differences.push_back(best.differences);
    indices.push_back(best.indices + anchors_before);
    levels.push_back(at::full_like(best.indices, static_cast<int64_t>(sizes.size())));
    sizes.push_back({map.size(2), map.size(3)});
    anchors_before += map.size(2) * map.size(3) * kAnchorShapes;
  }
  const at::Tensor anchors = all_anchors(sizes, padded).to(maps[0].device());
  const at::Tensor boxes =
      clip_boxes(decode_boxes(at::cat(differences), anchors.index_select(0, at::cat(indices)),
                              kProposalWeights)
                     .squeeze(1),
                 image);
  const at::Tensor probabilities = at::cat(scores).sigmoid();
  const at::Tensor usable =
      (at_least(boxes, kSmallestProposal) & (probabilities >= 0)).nonzero().squeeze(1);
  const at::Tensor own = boxes.index_select(0, usable);
  const at::Tensor kept = suppress(own, probabilities.index_select(0, usable),
                                   at::cat(levels).index_select(0, usable), kProposalOverlap);
  return own.index_select(0, kept.slice(0, 0, limits.in_all));
}

}  // namespace lapcast::workloads

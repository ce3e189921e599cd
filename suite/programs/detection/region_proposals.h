#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <vector>

#include "detection/boxes.h"

namespace lapcast::workloads {

/// Limits the proposals of an image.
struct ProposalLimits {
  int64_t of_a_map = 1000;  ///< with the best scores, before suppression
  int64_t in_all = 1000;    ///< after it
};

/// Proposes boxes that may hold an object of any class (Ren et al., "Faster R-CNN", NIPS 2015).
class RegionProposals : public torch::nn::Module {
 public:
  explicit RegionProposals(int64_t channels);

  /// Returns the proposed boxes (n x 4), the most probable first. `maps` are those of the pyramid,
  /// computed from an image of `padded` size of which `image` is the picture.
  at::Tensor forward(const std::vector<at::Tensor>& maps, const Sides& padded, const Sides& image,
                     const ProposalLimits& limits);

 private:
  torch::nn::Conv2d shared_{nullptr};
  torch::nn::Conv2d scores_{nullptr};
  torch::nn::Conv2d differences_{nullptr};
};

}  // namespace lapcast::workloads

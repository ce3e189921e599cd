#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "detection/boxes.h"

namespace lapcast::workloads {

/// Returns the three anchors of a size around (0, 0): boxes of area size^2 whose height is 0.5, 1
/// and 2 times their width, rounded to whole pixels.
at::Tensor anchors_of(double size);

/// Returns the anchors of every place of every map as one list of boxes: maps one after the other,
/// in each rows, columns, then the three shapes. Map number i has anchors of size 32 x 2^i (Lin et
/// al., "Feature pyramid networks", CVPR 2017, section 4.1). `image` is the size that the maps were
/// computed from.
at::Tensor all_anchors(const std::vector<Sides>& maps, const Sides& image);

/// Is the number of anchors at each place.
inline constexpr int64_t kAnchorShapes = 3;

}  // namespace lapcast::workloads

#pragma once

#include <ATen/core/Tensor.h>

#include "detection/boxes.h"

namespace lapcast::workloads {

/// Puts the mask of each box (n x 1 x side x side, 0..1) where the box is in the image. Box and
/// mask are enlarged by a pixel of the mask on each side, and the mask is resized to the box in
/// whole pixels by linear interpolation. Returns n x 1 x rows x columns, 0..1; outside of its box
/// each is 0.
at::Tensor paste_masks(const at::Tensor& masks, const at::Tensor& boxes, const Sides& image);

}  // namespace lapcast::workloads

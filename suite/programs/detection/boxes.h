#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace lapcast::workloads {

/// Boxes are rows (x1, y1, x2, y2) in pixels of an image, whose corners are 0 and width or height.

/// Holds the rows and columns of an image.
struct Sides {
  int64_t height = 0;
  int64_t width = 0;
  bool operator==(const Sides&) const = default;
};

/// Divides the differences that a network predicts of a box: those of its centre, x and y, and
/// those of the logarithms of its width and height.
using BoxWeights = std::array<double, 4>;

/// Returns the boxes that the differences make of `boxes`. `differences` has 4 columns for each of
/// one or more classes (n x 4 classes); the result is n x classes x 4. A box grows to at most
/// 1000/16 times its size (Ren et al., "Faster R-CNN", NIPS 2015, equation 2; the limit is
/// Detectron's).
at::Tensor decode_boxes(const at::Tensor& differences, const at::Tensor& boxes,
                        const BoxWeights& weights);

/// Returns the boxes (... x 4) cut at the borders of the image.
at::Tensor clip_boxes(const at::Tensor& boxes, const Sides& image);

/// Returns which boxes are at least so wide and so high. A box with a NaN is not.
at::Tensor at_least(const at::Tensor& boxes, double side);

/// Returns the areas of the boxes.
at::Tensor areas_of(const at::Tensor& boxes);

/// Returns the intersection over union of each box of `a` (rows) with each of `b` (columns).
at::Tensor overlaps(const at::Tensor& a, const at::Tensor& b);

/// Returns the boxes of an image scaled to another size of it.
at::Tensor rescale_boxes(const at::Tensor& boxes, const Sides& from, const Sides& to);

}  // namespace lapcast::workloads

#include "detection/boxes.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

namespace lapcast::workloads {

at::Tensor decode_boxes(const at::Tensor& differences, const at::Tensor& boxes,
                        const BoxWeights& weights) {
  const double most = std::log(1000.0 / 16);
  const at::Tensor by_class = differences.reshape({boxes.size(0), -1, 4});
  const auto difference = [&](int64_t i) {
    return by_class.select(2, i) / weights[static_cast<size_t>(i)];
  };
  const auto side = [&](int64_t from) {
    return (boxes.select(1, from + 2) - boxes.select(1, from)).unsqueeze(1);
  };
  const at::Tensor width = side(0), height = side(1);
  const at::Tensor x = boxes.select(1, 0).unsqueeze(1) + 0.5 * width;
  const at::Tensor y = boxes.select(1, 1).unsqueeze(1) + 0.5 * height;
  const at::Tensor new_x = difference(0) * width + x, new_y = difference(1) * height + y;
  const at::Tensor half_width = 0.5 * (difference(2).clamp_max(most).exp() * width);
  const at::Tensor half_height = 0.5 * (difference(3).clamp_max(most).exp() * height);
  return at::stack(
      {new_x - half_width, new_y - half_height, new_x + half_width, new_y + half_height}, 2);
}

at::Tensor clip_boxes(const at::Tensor& boxes, const Sides& image) {
  const auto cut = [&](int64_t column, int64_t most) {
    return boxes.select(-1, column).clamp(0, most);
  };
  return at::stack(
      {cut(0, image.width), cut(1, image.height), cut(2, image.width), cut(3, image.height)}, -1);
}

at::Tensor at_least(const at::Tensor& boxes, double side) {
  const at::Tensor width = boxes.select(1, 2) - boxes.select(1, 0);
  const at::Tensor height = boxes.select(1, 3) - boxes.select(1, 1);
  return (width >= side) & (height >= side);
}

at::Tensor areas_of(const at::Tensor& boxes) {
  return (boxes.select(1, 2) - boxes.select(1, 0)) * (boxes.select(1, 3) - boxes.select(1, 1));
}

at::Tensor overlaps(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor first = a.unsqueeze(1), second = b.unsqueeze(0);
  const at::Tensor low = at::maximum(first.slice(2, 0, 2), second.slice(2, 0, 2));
  const at::Tensor high = at::minimum(first.slice(2, 2, 4), second.slice(2, 2, 4));
  const at::Tensor sides = (high - low).clamp_min(0);
  const at::Tensor common = sides.select(2, 0) * sides.select(2, 1);
  return common / (areas_of(a).unsqueeze(1) + areas_of(b).unsqueeze(0) - common);
}

at::Tensor rescale_boxes(const at::Tensor& boxes, const Sides& from, const Sides& to) {
  const auto ratio = [](int64_t a, int64_t b) {
    return static_cast<float>(a) / static_cast<float>(b);
  };
  const float x = ratio(to.width, from.width), y = ratio(to.height, from.height);
  return boxes * at::tensor({x, y, x, y}).to(boxes.device());
}

}  // namespace lapcast::workloads

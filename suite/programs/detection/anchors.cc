#include "detection/anchors.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

namespace lapcast::workloads {

at::Tensor anchors_of(double size) {
  const at::Tensor heights = at::tensor({0.5f, 1.0f, 2.0f}).sqrt();
  const at::Tensor width = heights.reciprocal() * size, height = heights * size;
  return (at::stack({-width, -height, width, height}, 1) / 2).round();
}

at::Tensor all_anchors(const std::vector<Sides>& maps, const Sides& image) {
  constexpr double kSmallest = 32;
  std::vector<at::Tensor> all;
  double size = kSmallest;
  for (const Sides& map : maps) {
    const auto places = [](int64_t count, int64_t step) {
      return (at::arange(count) * step).to(at::kFloat);
    };
    const at::Tensor x = places(map.width, image.width / map.width);
    const at::Tensor y = places(map.height, image.height / map.height);
    const std::vector<at::Tensor> grid = at::meshgrid({y, x}, "ij");
    const at::Tensor columns = grid[1].reshape(-1), rows = grid[0].reshape(-1);
    const at::Tensor shifts = at::stack({columns, rows, columns, rows}, 1);
    all.push_back((shifts.unsqueeze(1) + anchors_of(size).unsqueeze(0)).reshape({-1, 4}));
    size *= 2;
  }
  return at::cat(all);
}

}  // namespace lapcast::workloads

#include "detection/roi_align.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "detection/boxes.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kPoints = 2;  // of a bin, in each direction
constexpr size_t kPyramidLevels = 4;

/// Holds the two pixels of a row or column between which a point lies, and how much each counts.
struct Between {
  int64_t low = 0, high = 0;
  float low_part = 0, high_part = 0;  // both 0: the point is outside
};

Between between_pixels(float place, int64_t pixels) {
  if (!(place >= -1 && place <= static_cast<float>(pixels))) return {};
  place = std::max(place, 0.f);
  Between found{static_cast<int64_t>(place), 0, 0, 0};
  if (found.low >= pixels - 1) return {pixels - 1, pixels - 1, 1, 0};
  found.high = found.low + 1;
  found.high_part = place - static_cast<float>(found.low);
  found.low_part = 1 - found.high_part;
  return found;
}

/// Returns the points of all bins between two borders of a box, in order.
std::vector<Between> points_between(float low, float high, float scale, int64_t side,
                                    int64_t pixels) {
  const float begin = low * scale, size = std::max(high * scale - begin, 1.f);
  const float bin = size / static_cast<float>(side);
  std::vector<Between> points;
  for (int64_t i = 0; i < side; ++i) {
    for (int64_t point = 0; point < kPoints; ++point) {
      const float within = (static_cast<float>(point) + 0.5f) * bin / static_cast<float>(kPoints);
      points.push_back(between_pixels(begin + static_cast<float>(i) * bin + within, pixels));
    }
  }
  return points;
}

/// Describes maps in memory with the channels last.
struct MapView {
  const float* numbers;
  int64_t rows, columns, channels;
  const float* at(int64_t row, int64_t column) const {
    return numbers + (row * columns + column) * channels;
  }
};

void add_point(const MapView& map, const Between& y, const Between& x, float* sums) {
  const float parts[] = {y.low_part * x.low_part, y.low_part * x.high_part,
                         y.high_part * x.low_part, y.high_part * x.high_part};
  const float* pixels[] = {map.at(y.low, x.low), map.at(y.low, x.high), map.at(y.high, x.low),
                           map.at(y.high, x.high)};
  for (int64_t c = 0; c < map.channels; ++c) {
    sums[c] += parts[0] * pixels[0][c] + parts[1] * pixels[1][c] + parts[2] * pixels[2][c] +
               parts[3] * pixels[3][c];
  }
}

/// Computes all numbers of one box.
void align_box(const MapView& map, const float* box, float scale, int64_t side, float* result) {
  const std::vector<Between> x = points_between(box[0], box[2], scale, side, map.columns);
  const std::vector<Between> y = points_between(box[1], box[3], scale, side, map.rows);
  constexpr float kShare = 1.f / (kPoints * kPoints);
  for (int64_t row = 0; row < side; ++row) {
    for (int64_t column = 0; column < side; ++column) {
      std::fill_n(result, map.channels, 0.f);
      for (int64_t point = 0; point < kPoints * kPoints; ++point) {
        add_point(map, y[static_cast<size_t>(row * kPoints + point / kPoints)],
                  x[static_cast<size_t>(column * kPoints + point % kPoints)], result);
      }
      for (int64_t c = 0; c < map.channels; ++c) result[c] *= kShare;
      result += map.channels;
    }
  }
}

/// Holds what Between holds, for the points of all boxes (n x points).
struct BetweenTensors {
  at::Tensor low, high, low_part, high_part;
};

BetweenTensors points_of_boxes(const at::Tensor& low, const at::Tensor& high, double scale,
                               int64_t side, int64_t pixels) {
  const at::Tensor begin = (low * scale).unsqueeze(1);
  const at::Tensor bin = ((high * scale).unsqueeze(1) - begin).clamp_min(1) / side;
  const at::Tensor number = at::arange(side * kPoints, low.options());
  const at::Tensor which = number.div(kPoints, "floor");
  const at::Tensor within = (number - which * kPoints + 0.5) / kPoints;
  const at::Tensor place = begin + which * bin + within * bin;
  const at::Tensor inside = (place >= -1) & (place <= pixels);
  const at::Tensor kept = at::where(inside, place, at::zeros_like(place)).clamp(0, pixels - 1);
  const at::Tensor pixel = kept.floor();
  const at::Tensor high_part = (kept - pixel) * inside;
  const at::Tensor first = pixel.to(at::kLong);
  return {first, (first + 1).clamp_max(pixels - 1), (1 - (kept - pixel)) * inside, high_part};
}

}  // namespace

at::Tensor align_rois(const at::Tensor& maps, const at::Tensor& boxes, double scale, int64_t side) {
  if (!maps.is_cpu()) return align_rois_by_tensors(maps, boxes, scale, side);
  const at::Tensor numbers = maps.to(at::kFloat).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor places = boxes.to(at::kFloat).contiguous();
  const int64_t count = boxes.size(0), channels = maps.size(1);
  const at::Tensor result =
      at::empty({count, side, side, channels}, numbers.options().memory_format(std::nullopt));
  const MapView view{numbers.const_data_ptr<float>(), maps.size(2), maps.size(3), channels};
  float* into = result.mutable_data_ptr<float>();
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      align_box(view, places.const_data_ptr<float>() + 4 * i, static_cast<float>(scale), side,
                into + i * side * side * channels);
    }
  });
  return result.permute({0, 3, 1, 2});
}

at::Tensor align_rois_by_tensors(const at::Tensor& maps, const at::Tensor& boxes, double scale,
                                 int64_t side) {
  const int64_t count = boxes.size(0), channels = maps.size(1);
  const int64_t rows = maps.size(2), columns = maps.size(3);
  const BetweenTensors x =
      points_of_boxes(boxes.select(1, 0), boxes.select(1, 2), scale, side, columns);
  const BetweenTensors y =
      points_of_boxes(boxes.select(1, 1), boxes.select(1, 3), scale, side, rows);
  const at::Tensor pixels = maps.permute({0, 2, 3, 1}).reshape({rows * columns, channels});
  const auto corner = [&](const at::Tensor& row, const at::Tensor& row_part,
                          const at::Tensor& column, const at::Tensor& column_part) {
    const at::Tensor index = row.unsqueeze(2) * columns + column.unsqueeze(1);
    const at::Tensor part = row_part.unsqueeze(2) * column_part.unsqueeze(1);
    return pixels.index_select(0, index.reshape(-1)) * part.reshape({-1, 1});
  };
  const at::Tensor sums = corner(y.low, y.low_part, x.low, x.low_part)
                              .add_(corner(y.low, y.low_part, x.high, x.high_part))
                              .add_(corner(y.high, y.high_part, x.low, x.low_part))
                              .add_(corner(y.high, y.high_part, x.high, x.high_part));
  return sums.reshape({count, side, kPoints, side, kPoints, channels})
      .mean({2, 4})
      .permute({0, 3, 1, 2});
}

at::Tensor pyramid_levels(const at::Tensor& boxes) {
  constexpr double kUsualSide = 224, kUsualLevel = 4, kFirstLevel = 2, kRounding = 1e-6;
  const at::Tensor level =
      at::floor(kUsualLevel + at::log2(areas_of(boxes).sqrt() / kUsualSide) + kRounding);
  return (level - kFirstLevel).clamp(0, kPyramidLevels - 1).to(at::kLong);
}

at::Tensor align_in_pyramid(const std::vector<at::Tensor>& maps, const at::Tensor& boxes,
                            int64_t side) {
  constexpr std::array<double, kPyramidLevels> kScales = {1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 32};
  const at::Tensor levels = pyramid_levels(boxes);
  const int64_t channels = maps[0].size(1);
  const at::Tensor result = at::empty({boxes.size(0), side, side, channels}, boxes.options());
  for (size_t level = 0; level < kPyramidLevels; ++level) {
    const at::Tensor own = (levels == static_cast<int64_t>(level)).nonzero().squeeze(1);
    if (own.size(0) == 0) continue;
    const at::Tensor part =
        align_rois(maps[level], boxes.index_select(0, own), kScales[level], side);
    result.index_copy_(0, own, part.permute({0, 2, 3, 1}));
  }
  return result.permute({0, 3, 1, 2});
}

}  // namespace lapcast::workloads

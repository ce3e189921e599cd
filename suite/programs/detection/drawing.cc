#include "detection/drawing.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lapcast::workloads {
namespace {

constexpr float kInside = 0.5f;  // a mask's number from which a pixel belongs to the object
using Paint = std::array<uint8_t, 3>;

/// Returns bright colours that differ for neighbouring numbers: hues in steps of the golden ratio.
Paint paint_of(int64_t number) {
  const double hue = std::fmod(0.618034 * static_cast<double>(number), 1.0);
  Paint paint{};
  for (size_t c = 0; c < 3; ++c) {
    const double from = std::abs(std::fmod(hue + static_cast<double>(c) / 3, 1.0) * 6 - 3) - 1;
    paint[c] = static_cast<uint8_t>(255 * std::clamp(from, 0.0, 1.0));
  }
  return paint;
}

void tint(uint8_t* pixel, const Paint& paint) {
  for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>((pixel[c] + paint[c]) / 2);
}

void draw_mask(Picture& picture, const float* mask, const Paint& paint) {
  for (int64_t i = 0; i < picture.height * picture.width; ++i) {
    if (mask[i] >= kInside) tint(picture.pixels.data() + 3 * i, paint);
  }
}

void draw_box(Picture& picture, const float* box, const Paint& paint) {
  const auto pixel = [](float place, int64_t pixels) {
    return std::clamp<int64_t>(static_cast<int64_t>(place), 0, pixels - 1);
  };
  const int64_t left = pixel(box[0], picture.width), right = pixel(box[2], picture.width);
  const int64_t top = pixel(box[1], picture.height), bottom = pixel(box[3], picture.height);
  const auto set = [&](int64_t row, int64_t column) {
    std::copy(paint.begin(), paint.end(), picture.at(row, column));
  };
  for (int64_t column = left; column <= right; ++column) {
    set(top, column);
    set(bottom, column);
  }
  for (int64_t row = top; row <= bottom; ++row) {
    set(row, left);
    set(row, right);
  }
}

}  // namespace

void draw_detections(Picture& picture, const Detections& found) {
  const at::Tensor boxes = found.boxes.cpu().contiguous(), masks = found.masks.cpu().contiguous();
  const int64_t pixels = picture.height * picture.width;
  // The most probable object is drawn last.
  for (int64_t i = boxes.size(0); i-- > 0;) {
    draw_mask(picture, masks.const_data_ptr<float>() + i * pixels, paint_of(i));
  }
  for (int64_t i = boxes.size(0); i-- > 0;) {
    draw_box(picture, boxes.const_data_ptr<float>() + 4 * i, paint_of(i));
  }
}

}  // namespace lapcast::workloads

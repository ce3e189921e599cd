#include "retina/crop.h"

#include <algorithm>
#include <cmath>

namespace lapcast::workloads {

/// Spreads `side_` pixels over [begin, begin + length) of an axis with `pixels` pixels, whose first
/// one covers [0, 1).
void EyeCropper::weigh(double begin, double length, int64_t pixels, std::vector<Taps>& taps) const {
  taps.resize(static_cast<size_t>(side_));
  const double scale = length / static_cast<double>(side_), reach = std::max(1.0, scale);
  for (int64_t i = 0; i < side_; ++i) {
    const double middle = begin + (static_cast<double>(i) + 0.5) * scale;
    const double from = middle - reach / 2, to = middle + reach / 2;
    const auto first = std::clamp<int64_t>(static_cast<int64_t>(std::floor(from)), 0, pixels);
    const auto last = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(to)), first, pixels);
    Taps& tap = taps[static_cast<size_t>(i)];
    tap.first = first;
    tap.weights.clear();
    for (int64_t p = first; p < last; ++p) {
      const auto at = static_cast<double>(p);
      const double covered = std::min(to, at + 1) - std::max(from, at);
      tap.weights.push_back(static_cast<float>(covered / reach));
    }
  }
}

/// Adds the weighted rows of one row of the result, from column `left` to `right`.
void EyeCropper::add_rows(const Picture& photo, const Taps& taps, int64_t left, int64_t right) {
  const auto count = static_cast<size_t>(3 * (right - left));
  float* sums = sums_.data() + 3 * left;
  std::fill_n(sums, count, 0.0f);
  for (size_t t = 0; t < taps.weights.size(); ++t) {
    const uint8_t* row = photo.row(taps.first + static_cast<int64_t>(t)) + 3 * left;
    const float weight = taps.weights[t];
    for (size_t i = 0; i < count; ++i) sums[i] += weight * static_cast<float>(row[i]);
  }
}

const Picture& EyeCropper::crop(const Picture& photo, const EyeCircle& eye) {
  const double length = 2 * eye.radius;
  weigh(eye.x + 0.5 - eye.radius, length, photo.width, columns_);
  weigh(eye.y + 0.5 - eye.radius, length, photo.height, rows_);
  cropped_.resize(side_, side_);
  sums_.resize(static_cast<size_t>(3 * photo.width));
  const int64_t left = columns_.front().first;
  const int64_t right =
      columns_.back().first + static_cast<int64_t>(columns_.back().weights.size());
  for (int64_t y = 0; y < side_; ++y) {
    add_rows(photo, rows_[static_cast<size_t>(y)], left, right);
    uint8_t* to = cropped_.row(y);
    for (const Taps& taps : columns_) {
      const float* from = sums_.data() + 3 * taps.first;
      float red = 0.5f, green = 0.5f, blue = 0.5f;
      for (const float weight : taps.weights) {
        red += weight * from[0];
        green += weight * from[1];
        blue += weight * from[2];
        from += 3;
      }
      to[0] = static_cast<uint8_t>(std::min(red, 255.0f));
      to[1] = static_cast<uint8_t>(std::min(green, 255.0f));
      to[2] = static_cast<uint8_t>(std::min(blue, 255.0f));
      to += 3;
    }
  }
  return cropped_;
}

}  // namespace lapcast::workloads

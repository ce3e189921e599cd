#include "embryo/rotations.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lapcast::workloads {
namespace {

constexpr int kReduction = kCropSide / kPatchSide;
constexpr double kMiddle = (kCropSide - 1) / 2.0;
constexpr double kStepDegrees = 360.0 / kRotations;

/// Gathers weights on a small piece of the crop.
class Footprint {
 public:
  /// `x` and `y` are the middle of the piece.
  Footprint(double x, double y)
      : left_(static_cast<int>(std::floor(x)) - kSide / 2),
        top_(static_cast<int>(std::floor(y)) - kSide / 2) {}

  /// Shares `weight` bilinearly among the four pixels around a place.
  void add(double x, double y, double weight) {
    const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
    const double right = x - x0, below = y - y0;
    at(x0, y0) += weight * (1 - right) * (1 - below);
    at(x0 + 1, y0) += weight * right * (1 - below);
    at(x0, y0 + 1) += weight * (1 - right) * below;
    at(x0 + 1, y0 + 1) += weight * right * below;
  }

  /// Calls `use(pixel, weight)` for the crop's pixels with a weight, row by row.
  template <typename Use>
  void each(Use use) const {
    constexpr double kNothing = 1e-9;
    for (int y = std::max(0, top_); y < std::min(kCropSide, top_ + kSide); ++y) {
      for (int x = std::max(0, left_); x < std::min(kCropSide, left_ + kSide); ++x) {
        const double weight = weights_[index(x, y)];
        if (weight > kNothing) use(static_cast<uint32_t>(y * kCropSide + x), weight);
      }
    }
  }

 private:
  static constexpr int kSide = 12;  // 5x5 samples rotated by any angle, and a pixel around
  size_t index(int x, int y) const { return static_cast<size_t>((y - top_) * kSide + x - left_); }
  double& at(int x, int y) { return weights_[index(x, y)]; }

  int left_, top_;
  std::array<double, kSide * kSide> weights_{};
};

struct Place {
  double x, y;
};

/// Returns where a pixel of the rotated image comes from: rotated back clockwise, with y downwards.
Place source_of(double x, double y, double degrees) {
  const double radians = degrees * std::numbers::pi / 180;
  const double c = std::cos(radians), s = std::sin(radians);
  return {kMiddle + c * (x - kMiddle) - s * (y - kMiddle),
          kMiddle + s * (x - kMiddle) + c * (y - kMiddle)};
}

Footprint footprint_of(int column, int row, double degrees) {
  const double x = column * kReduction, y = row * kReduction;
  const Place middle = source_of(x + kReduction / 2, y + kReduction / 2, degrees);
  Footprint footprint(middle.x, middle.y);
  for (int j = 0; j < kReduction; ++j) {
    for (int i = 0; i < kReduction; ++i) {
      const Place place = source_of(x + i, y + j, degrees);
      footprint.add(place.x, place.y, 1.0 / (kReduction * kReduction));
    }
  }
  return footprint;
}

WeightedSums sums_for(double degrees) {
  WeightedSums sums;
  for (int row = 0; row < kPatchSide; ++row) {
    for (int column = 0; column < kPatchSide; ++column) {
      footprint_of(column, row, degrees).each([&](uint32_t pixel, double weight) {
        sums.taps.push_back({pixel, static_cast<float>(weight)});
      });
      sums.end_sum();
    }
  }
  return sums;
}

/// Copies one image's pixels out of images that are stored pixel by pixel.
void separate(const std::vector<uint8_t>& many, int rotation,
              std::array<Patches, kImagesAtOnce>& patches) {
  for (size_t image = 0; image < kImagesAtOnce; ++image) {
    uint8_t* to = patches[image].data() + rotation * kPatchPixels;
    for (size_t i = 0; i < kPatchPixels; ++i) to[i] = many[i * kImagesAtOnce + image];
  }
}

std::span<uint8_t, kPatchPixels> patch_of(Patches& patches, int rotation) {
  return std::span<uint8_t, kPatchPixels>(patches.data() + rotation * kPatchPixels, kPatchPixels);
}

}  // namespace

void quarter_turn(std::span<const uint8_t, kPatchPixels> from,
                  std::span<uint8_t, kPatchPixels> to) {
  for (size_t row = 0; row < kPatchSide; ++row) {
    for (size_t column = 0; column < kPatchSide; ++column) {
      to[row * kPatchSide + column] = from[column * kPatchSide + kPatchSide - 1 - row];
    }
  }
}

Rotations::Rotations() {
  for (size_t k = 0; k < sums_.size(); ++k) {
    sums_[k] = sums_for(kStepDegrees * static_cast<double>(k));
  }
}

void Rotations::turn(const CropGroup& crops, std::array<Patches, kImagesAtOnce>& patches) const {
  std::vector<uint8_t> many(kPatchPixels * kImagesAtOnce);
  for (Patches& p : patches) p.resize(kRotations * kPatchPixels);
  const int within_quarter = static_cast<int>(sums_.size());
  for (int k = 0; k < within_quarter; ++k) {
    apply(sums_[static_cast<size_t>(k)], crops.data(), many.data());
    separate(many, k, patches);
  }
  for (Patches& p : patches) {
    for (int k = within_quarter; k < kRotations; ++k) {
      quarter_turn(patch_of(p, k - within_quarter), patch_of(p, k));
    }
  }
}

}  // namespace lapcast::workloads

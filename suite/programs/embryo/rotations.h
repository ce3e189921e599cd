#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "embryo/shadows.h"
#include "embryo/weighted_sums.h"

namespace lapcast::workloads {

inline constexpr int kPatchSide = 64;
inline constexpr int kPatchPixels = kPatchSide * kPatchSide;
inline constexpr int kRotations = 20;  ///< in steps of 18 degrees, counter-clockwise

/// Holds the crops of kImagesAtOnce images pixel by pixel: the first pixels of all images, then the
/// second ones.
using CropGroup = std::vector<uint8_t>;

/// Holds the patches of one image: kRotations x kPatchPixels.
using Patches = std::vector<uint8_t>;

/// Rotates crops about their middle and reduces them to patches. By definition, each rotated image
/// has kCropSide x kCropSide pixels, each interpolated bilinearly, with 0 outside of the crop; a
/// patch's pixel is the mean of 5x5 of them. All of this is linear in the crop's pixels: a patch's
/// pixel is a weighted sum of about 50 of them, with weights that are the same for every image and
/// are computed once. The sum is rounded once, at the end, with halves up.
///
/// Only rotations below 90 degrees have weights. The others are quarter turns of their patches,
/// which move pixels and change none.
class Rotations {
 public:
  Rotations();

  /// Computes the patches of each image of the group: rotation k rotates by 18 k degrees.
  void turn(const CropGroup& crops, std::array<Patches, kImagesAtOnce>& patches) const;

 private:
  static constexpr int kQuarterTurns = 4;
  std::array<WeightedSums, kRotations / kQuarterTurns> sums_;
};

/// Rotates a patch by 90 degrees counter-clockwise.
void quarter_turn(std::span<const uint8_t, kPatchPixels> from, std::span<uint8_t, kPatchPixels> to);

}  // namespace lapcast::workloads

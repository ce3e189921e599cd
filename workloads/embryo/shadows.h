#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace lapcast::workloads {

inline constexpr int kCropSide = 320;
inline constexpr int kCropPixels = kCropSide * kCropSide;
inline constexpr int kNeutral = 128;  ///< what the shadows are inverted around

/// A new value for each old one.
using ToneTable = std::array<uint8_t, 256>;

/// Histogram equalisation of one image, as OpenCV's equalizeHist: the darkest value that occurs
/// becomes 0, each other one its share of the pixels that are not darkest and not brighter than it,
/// times 255, rounded. An image of one value stays as it is.
ToneTable equalising_tones(std::span<const uint8_t> pixels);

/// Equalisation, then |value - 128| ([L] II-B: edges that the light from above makes bright and
/// dark become alike), in one table.
ToneTable shadow_tones(std::span<const uint8_t> pixels);

}  // namespace lapcast::workloads

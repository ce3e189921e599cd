#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace lapcast::workloads {

inline constexpr int kCropSide = 320;
inline constexpr int kCropPixels = kCropSide * kCropSide;
inline constexpr int kNeutral = 128;  ///< the grey level around which shadows are inverted

/// Maps each value to a new one.
using ToneTable = std::array<uint8_t, 256>;

/// Returns the histogram equalisation of one image, as OpenCV's equalizeHist computes it. The
/// darkest value that occurs becomes 0. Each other value v becomes 255 times the share, among the
/// pixels that are not darkest, of those not brighter than v, rounded. An image of one value does
/// not change.
ToneTable equalising_tones(std::span<const uint8_t> pixels);

/// Returns the equalisation followed by |value - 128| in one table. [L], section II-B: edges that
/// the light from above makes bright or dark become alike.
ToneTable shadow_tones(std::span<const uint8_t> pixels);

}  // namespace lapcast::workloads

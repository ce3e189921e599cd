#pragma once

#include <cstdint>
#include <vector>

namespace lapcast::workloads {

inline constexpr int kImagesAtOnce = 16;  ///< images per pass through the weights

/// Describes numbers that are weighted sums of an image's pixels, the same sums for every image.
struct WeightedSums {
  struct Tap {
    uint32_t pixel;
    float weight;
  };
  /// Sum i uses the taps [begin[i], begin[i + 1]), whose number is even.
  std::vector<uint32_t> begin{0};
  std::vector<Tap> taps;

  int64_t size() const { return static_cast<int64_t>(begin.size()) - 1; }
  /// Ends a sum after its taps have been appended.
  void end_sum();
};

/// Computes all sums for kImagesAtOnce images that are stored pixel by pixel: the first pixels of
/// all images, then the second ones. The sums are stored in the same way, rounded with halves up,
/// and must be within 0..255. Uses the widest vectors of this CPU. Even and odd taps are added
/// separately and products are never fused with sums, so the results are the same on every CPU.
void apply(const WeightedSums& sums, const uint8_t* pixels, uint8_t* out);

namespace detail {
/// Computes the same without special instructions.
void apply_plain(const WeightedSums& sums, const uint8_t* pixels, uint8_t* out);
}  // namespace detail

}  // namespace lapcast::workloads

#pragma once

#include <cstdint>
#include <vector>

namespace lapcast::workloads {

inline constexpr int kImagesAtOnce = 16;  ///< that one walk through the weights serves

/// Numbers that are each a weighted sum of some pixels of an image, the same for every image.
struct WeightedSums {
  struct Tap {
    uint32_t pixel;
    float weight;
  };
  /// Sum i is made by taps [begin[i], begin[i + 1]), of which there is an even number.
  std::vector<uint32_t> begin{0};
  std::vector<Tap> taps;

  int64_t size() const { return static_cast<int64_t>(begin.size()) - 1; }
  /// Ends a sum whose taps have been appended.
  void end_sum();
};

/// Computes all sums for kImagesAtOnce images that lie pixel by pixel: the first pixels of all,
/// then the second ones; the sums come out likewise, rounded, halves up; they must be within
/// 0..255. With the widest vectors that this CPU has. Even and odd taps are added apart, products
/// are never fused with sums: the results are the same on every CPU.
void apply(const WeightedSums& sums, const uint8_t* pixels, uint8_t* out);

namespace detail {
/// The same without special instructions.
void apply_plain(const WeightedSums& sums, const uint8_t* pixels, uint8_t* out);
}  // namespace detail

}  // namespace lapcast::workloads

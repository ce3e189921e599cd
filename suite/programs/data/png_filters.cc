#include "data/png_filters.h"

#include <algorithm>
#include <cstdlib>

namespace lapcast::workloads {
namespace {

/// Returns the one of left, above and corner that is nearest to left + above - corner; the first of
/// equals.
inline int paeth(int left, int above, int corner) {
  const int to_left = std::abs(above - corner);
  const int to_above = std::abs(left - corner);
  const int to_corner = std::abs(left + above - 2 * corner);
  const int nearer = to_above < to_left ? above : left;
  return to_corner < std::min(to_left, to_above) ? corner : nearer;
}

/// Returns the value that `filter` predicts for a pixel.
inline int predicted(PngFilter filter, int left, int above, int corner) {
  switch (filter) {
    case kSub:
      return left;
    case kUp:
      return above;
    case kAverage:
      return (left + above) / 2;
    case kPaeth:
      return paeth(left, above, corner);
    default:
      return 0;
  }
}

template <PngFilter filter>
void unfilter(std::span<const uint8_t> filtered, std::span<const uint8_t> above,
              std::span<uint8_t> row) {
  int left = 0, corner = 0;
  for (size_t x = 0; x < row.size(); ++x) {
    const int up = above[x];
    left = static_cast<uint8_t>(filtered[x] + predicted(filter, left, up, corner));
    row[x] = static_cast<uint8_t>(left);
    corner = up;
  }
}

}  // namespace

void unfilter_row(PngFilter filter, std::span<const uint8_t> filtered,
                  std::span<const uint8_t> above, std::span<uint8_t> row) {
  switch (filter) {
    case kSub:
      return unfilter<kSub>(filtered, above, row);
    case kUp:
      return unfilter<kUp>(filtered, above, row);
    case kAverage:
      return unfilter<kAverage>(filtered, above, row);
    case kPaeth:
      return unfilter<kPaeth>(filtered, above, row);
    default:
      std::copy_n(filtered.begin(), row.size(), row.begin());
  }
}

void filter_row(PngFilter filter, std::span<const uint8_t> row, std::span<const uint8_t> above,
                std::span<uint8_t> filtered) {
  int left = 0, corner = 0;
  for (size_t x = 0; x < row.size(); ++x) {
    filtered[x] = static_cast<uint8_t>(row[x] - predicted(filter, left, above[x], corner));
    left = row[x];
    corner = above[x];
  }
}

}  // namespace lapcast::workloads

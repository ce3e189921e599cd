#pragma once

#include <cstdint>
#include <span>

namespace lapcast::workloads {

/// Names the five filters of PNG (ISO/IEC 15948, section 9) for one byte per pixel. A row is stored
/// as its difference from a prediction by the pixels to the left, above, and above left.
enum PngFilter : uint8_t { kNone, kSub, kUp, kAverage, kPaeth, kFilters };

/// Undoes a filter. `above` is the previous row, zeros for the first one. All rows have the same
/// length.
void unfilter_row(PngFilter filter, std::span<const uint8_t> filtered,
                  std::span<const uint8_t> above, std::span<uint8_t> row);

/// Applies a filter.
void filter_row(PngFilter filter, std::span<const uint8_t> row, std::span<const uint8_t> above,
                std::span<uint8_t> filtered);

}  // namespace lapcast::workloads

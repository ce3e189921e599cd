#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lapcast::workloads {

/// Holds a picture of 8-bit red, green and blue values, row by row.
struct Photo {
  int64_t width = 0;
  int64_t height = 0;
  std::vector<uint8_t> rgb;  ///< 3 x width x height

  const uint8_t* row(int64_t y) const { return rgb.data() + 3 * y * width; }
  uint8_t* row(int64_t y) { return rgb.data() + 3 * y * width; }

  /// Sets the size; the colours are then any values.
  void resize(int64_t new_width, int64_t new_height) {
    width = new_width;
    height = new_height;
    rgb.resize(static_cast<size_t>(3 * width * height));
  }
};

}  // namespace lapcast::workloads

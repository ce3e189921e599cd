#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lapcast::workloads {

/// Holds a picture of 8-bit red, green and blue, row by row.
struct Picture {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> pixels;  // 3 for each

  uint8_t* at(int64_t row, int64_t column) { return pixels.data() + 3 * (row * width + column); }
  const uint8_t* at(int64_t row, int64_t column) const {
    return pixels.data() + 3 * (row * width + column);
  }
};

/// Is the largest side of a picture that is read.
inline constexpr int64_t kLargestSide = 16384;
/// Is the largest number of pixels of a picture that is read.
inline constexpr int64_t kMostPixels = 64 << 20;

/// Reads a picture by what its first bytes say it is: PNG of any kind (with libpng; transparent
/// pixels become a mix with black), JPEG in grey or colour (with libjpeg), or PPM (P6, 8 bits).
/// Throws FileError with one line when the file cannot be read, is no such picture, is damaged or
/// cut off, or is larger than the limits.
Picture read_picture(const std::filesystem::path& file);

/// Writes a PNG file. Throws FileError when it cannot be written or the build has no libpng.
void write_picture(const std::filesystem::path& file, const Picture& picture);

}  // namespace lapcast::workloads

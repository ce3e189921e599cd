#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
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
  uint8_t* row(int64_t number) { return at(number, 0); }
  const uint8_t* row(int64_t number) const { return at(number, 0); }

  /// Sets the size; the colours are then any values.
  void resize(int64_t new_width, int64_t new_height) {
    width = new_width;
    height = new_height;
    pixels.resize(static_cast<size_t>(3 * width * height));
  }
};

/// Reports in one line, without the file's name, why a picture cannot be used.
struct PictureError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Is the largest side of a picture that is read.
inline constexpr int64_t kLargestSide = 16384;
/// Is the largest number of pixels of a picture that is read.
inline constexpr int64_t kMostPixels = 64 << 20;

/// Reads a picture by what its first bytes say it is: PNG of any kind (with libpng; transparent
/// pixels become a mix with black), JPEG in grey or colour (with libjpeg-turbo), or PPM (P6, 8
/// bits). Throws FileError with one line when the file cannot be read, is not such a picture, is
/// damaged or cut off, or is larger than the limits.
Picture read_picture(const std::filesystem::path& file);

/// Writes a PNG file. Throws FileError when it cannot be written or the build has no libpng.
void write_picture(const std::filesystem::path& file, const Picture& picture);

}  // namespace lapcast::workloads

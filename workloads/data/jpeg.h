#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "data/photo.h"

namespace lapcast::workloads {

/// Reads and writes JPEG files in memory, with libjpeg-turbo.

/// Reports in one line, without the file's name, why a picture cannot be used.
struct PhotoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Limits the pixels of a picture that is read: a small file can promise gigabytes.
inline constexpr int64_t kMostPhotoPixels = int64_t{1} << 28;

/// Reads many files with the same memory. An object must not be used by several threads at once.
class JpegReader {
 public:
  JpegReader();

  struct Size {
    int64_t width = 0;
    int64_t height = 0;
  };

  /// Reads the header of a file. The bytes must exist until the last decode(). Throws PhotoError
  /// when it is no JPEG file, has CMYK colours or more than kMostPhotoPixels.
  Size open(std::span<const uint8_t> file);

  /// Decodes the opened file, reduced by 1, 2, 4 or 8 within the decoder; sizes are rounded up.
  /// Throws PhotoError when the file is damaged or ends too early.
  void decode(int reduction, Photo& into);

  /// Decodes the coefficients of the opened file and nothing more, for benchmarks. Throws
  /// PhotoError.
  void decode_entropy_only();

 private:
  std::shared_ptr<void> decoder_;
  std::shared_ptr<void> transformer_;  // made when it is needed
  std::span<const uint8_t> file_;
  Size size_;
};

/// Writes files of one quality, with colours at half the resolution.
class JpegWriter {
 public:
  /// Takes a quality of 1 to 100.
  explicit JpegWriter(int quality);

  /// Returns the bytes of a file, valid until the next call. Throws PhotoError.
  std::span<const uint8_t> write(const Photo& photo);

 private:
  int quality_;
  std::shared_ptr<void> encoder_;
  std::vector<uint8_t> bytes_;  // grows, never shrinks
};

}  // namespace lapcast::workloads

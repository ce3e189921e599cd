#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/picture.h"

namespace lapcast::workloads {

/// Reads and writes JPEG files in memory, with libjpeg-turbo.

/// Reads many files with the same memory. An object must not be used by several threads at once.
class JpegReader {
 public:
  JpegReader();

  struct Size {
    int64_t width = 0;
    int64_t height = 0;
  };

  /// Reads the header of a file. The bytes must exist until the last decode(). Throws PictureError
  /// when it is not a JPEG file, has CMYK colours or too many pixels.
  Size open(std::span<const uint8_t> file);

  /// Decodes the opened file, reduced by 1, 2, 4 or 8 within the decoder; sizes are rounded up.
  /// Throws PictureError when the file is damaged or ends too early.
  void decode(int reduction, Picture& into);

  /// Decodes the coefficients of the opened file and nothing more, for benchmarks. Throws
  /// PictureError.
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

  /// Returns the bytes of a file, valid until the next call. Throws PictureError.
  std::span<const uint8_t> write(const Picture& photo);

 private:
  int quality_;
  std::shared_ptr<void> encoder_;
  std::vector<uint8_t> bytes_;  // grows, never shrinks
};

}  // namespace lapcast::workloads

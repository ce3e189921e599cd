#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "data/byte_file.h"
#include "data/deflate.h"

namespace lapcast::workloads {

/// Reads and writes PNG files (ISO/IEC 15948) of 8-bit grey without interlacing, the usual
/// microscope images.

struct ImageSize {
  int64_t width = 0;
  int64_t height = 0;
  bool operator==(const ImageSize&) const = default;
};

/// Reads many files of one size with the same memory. An object must not be used by several threads
/// at once.
class PngReader {
 public:
  explicit PngReader(ImageSize size) : size_(size), needed_(size) {}

  /// `needed` limits the rows and columns that read() decodes; the rest is checked only.
  PngReader(ImageSize size, ImageSize needed) : size_(size), needed_(needed) {}

  /// Returns the pixels of `needed`, row by row, valid until the next call. The whole file is
  /// checked. Throws FileError when the file is missing, unreadable or not a PNG, has another size,
  /// colour or depth, is interlaced, has a wrong checksum, is damaged, has too few pixels, or has
  /// no end or bytes after it.
  std::span<const uint8_t> read(const std::filesystem::path& file);

 private:
  std::span<const uint8_t> load(const std::filesystem::path& file);

  ImageSize size_;
  ImageSize needed_;
  Inflater inflater_;
  std::vector<uint8_t> content_;  // grows, never shrinks
  std::vector<uint8_t> packed_;
  std::vector<uint8_t> filtered_;
  std::vector<uint8_t> pixels_;
};

/// Writes a file of size.width x size.height pixels, row by row. Each row gets the filter with the
/// smallest sum of differences, as the standard advises. Throws FileError when the file cannot be
/// written; an incomplete file is removed.
void write_png(const std::filesystem::path& file, ImageSize size, std::span<const uint8_t> pixels);

}  // namespace lapcast::workloads

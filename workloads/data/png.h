#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "data/byte_file.h"
#include "data/deflate.h"

namespace lapcast::workloads {

/// PNG files (ISO/IEC 15948) of 8-bit grey, not interlaced: what microscopes' images come as.

struct ImageSize {
  int64_t width = 0;
  int64_t height = 0;
  bool operator==(const ImageSize&) const = default;
};

/// Reads many files of one size with the same memory; not for several threads at once.
class PngReader {
 public:
  explicit PngReader(ImageSize size) : size_(size), needed_(size) {}

  /// Only the rows and columns up to `needed` will be asked for: the rest is checked, not decoded.
  PngReader(ImageSize size, ImageSize needed) : size_(size), needed_(needed) {}

  /// The pixels of `needed`, row by row; valid up to the next call. Throws FileError: missing or
  /// unreadable, not a PNG, another size, colour or depth, interlaced, a checksum that does not
  /// match, damaged or too few pixels, the end missing, or bytes after it. The whole file is
  /// checked.
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

/// Writes a file; `pixels` are size.width x size.height, row by row. Each row gets the filter with
/// the smallest sum of differences, the standard's advice. Throws FileError when it cannot be
/// written; a file cut short is removed.
void write_png(const std::filesystem::path& file, ImageSize size, std::span<const uint8_t> pixels);

}  // namespace lapcast::workloads

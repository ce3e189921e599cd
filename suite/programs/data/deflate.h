#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lapcast::workloads {

/// Packs and unpacks as PNG files do (zlib format, RFC 1950), with their checksums. It uses
/// libdeflate, or zlib (about half as fast) when the build found no libdeflate.

/// Unpacks many streams of known size. An object must not be used by several threads at once.
class Inflater {
 public:
  Inflater();
  /// Fills all of `into`. Returns false when the data are damaged, a checksum is wrong, or the size
  /// differs.
  bool unpack(std::span<const uint8_t> packed, std::span<uint8_t> into);

 private:
  std::shared_ptr<void> state_;
};

/// Returns the packed bytes, which are the same for the same input.
std::vector<uint8_t> deflate_bytes(std::span<const uint8_t> bytes);

/// Returns the CRC-32 of ISO 3309, which follows every chunk of a PNG file.
uint32_t crc32_of(std::span<const uint8_t> bytes);

}  // namespace lapcast::workloads

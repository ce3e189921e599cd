#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lapcast::workloads {

/// Packing as in PNG files (zlib format, RFC 1950) and their checksums, by libdeflate, or by zlib
/// where libdeflate was missing at build time (about half as fast).

/// Unpacks many streams of known size; not for several threads at once.
class Inflater {
 public:
  Inflater();
  /// Fills all of `into`. False: damaged, a wrong checksum, or not exactly that many bytes.
  bool unpack(std::span<const uint8_t> packed, std::span<uint8_t> into);

 private:
  std::shared_ptr<void> state_;
};

/// The packed bytes; the same for the same input.
std::vector<uint8_t> deflate_bytes(std::span<const uint8_t> bytes);

/// CRC-32 of ISO 3309, which PNG puts behind every chunk.
uint32_t crc32_of(std::span<const uint8_t> bytes);

}  // namespace lapcast::workloads

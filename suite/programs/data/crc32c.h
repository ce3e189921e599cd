#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace lapcast::workloads {

/// Computes CRC-32C (Castagnoli; RFC 3720, appendix B.4), which follows every part of a TFRecord
/// file.

/// Returns the checksum of the bytes. `before` is the checksum of the bytes in front of them. It
/// uses the fastest way that this CPU has.
uint32_t crc32c(std::span<const uint8_t> bytes, uint32_t before = 0);

/// Returns the same checksum, computed with tables that any CPU can use.
uint32_t crc32c_by_table(std::span<const uint8_t> bytes, uint32_t before = 0);

/// Returns the way that crc32c() uses on this CPU: "sse4.2", "armv8" or "table".
std::string_view crc32c_method();

/// Returns the checksum as TFRecord files store it: rotated right by 15 bits, plus 0xa282ead8.
constexpr uint32_t masked_crc(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
}

}  // namespace lapcast::workloads

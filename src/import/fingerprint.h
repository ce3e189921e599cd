#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lapcast {

/// A run's id from what its source says, so that the same log imported twice is one run, under
/// whatever name its file has. FNV-1a, 64 bits.
class Fingerprint {
 public:
  explicit Fingerprint(std::string_view format) { add(format); }

  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      add_byte(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> shift));
    }
  }
  /// 12 hex digits, as RunContext::id.
  std::string id() const {
    return fmt::format("{:012x}", (hash_ ^ (hash_ >> 48)) & 0xffffffffffff);
  }

 private:
  void add_byte(unsigned char byte) {
    hash_ ^= byte;
    hash_ *= 0x100000001b3;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace lapcast

#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lapcast {

/// Computes FNV-1a of 64 bits (Fowler, Noll, Vo), which is the same on every machine and in every
/// version. It does not protect against forgery.
class Fnv1a {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) add_unit(static_cast<unsigned char>(byte));
  }
  /// Adds a number as one unit, where FNV-1a itself adds bytes.
  void add_unit(std::uint64_t unit) { state_ = (state_ ^ unit) * 1099511628211ULL; }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 14695981039346656037ULL;
};

/// Tells contents apart, eight times as fast as Fnv1a, because it adds words of 8 bytes. It does
/// not protect against forgery.
class ContentHash {
 public:
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    while (text.size() >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), 8);
      add(word);
      text.remove_prefix(8);
    }
    std::uint64_t rest = 0;
    if (!text.empty()) std::memcpy(&rest, text.data(), text.size());
    add(rest);
  }
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 1099511628211ULL;
    state_ ^= state_ >> 29;  // A product of words alone never carries high bits into low ones.
  }
  /// Returns 16 hex digits.
  std::string hex() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 14695981039346656037ULL;
};

}  // namespace lapcast

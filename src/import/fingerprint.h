#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/hash.h"

namespace lapcast {

/// Makes a run's id of what its source says, so that the same log imported twice is one run, under
/// whatever name its file has.
class Fingerprint {
 public:
  explicit Fingerprint(std::string_view format) { add(format); }

  void add(std::string_view text) {
    hash_.add(text);
    hash_.add_unit(0);
  }
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
      hash_.add_unit((static_cast<std::uint64_t>(number) >> shift) & 0xff);
  }
  /// Returns 12 hex digits, as in RunContext::id.
  std::string id() const {
    return fmt::format("{:012x}", (hash_.value() ^ (hash_.value() >> 48)) & 0xffffffffffff);
  }

 private:
  Fnv1a hash_;
};

}  // namespace lapcast

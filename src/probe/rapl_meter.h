#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Reads the power of all CPUs of this machine from RAPL (/sys/class/powercap): of each package,
/// and of its memory if that is counted separately. Most kernels let only root read it, and virtual
/// machines lack it.
class RaplMeter {
 public:
  /// Finds the counters. `root` is put before the path of /sys, for tests.
  explicit RaplMeter(const std::string& root = "");

  /// Returns the mean power in mW from the last call to `now` (CLOCK_MONOTONIC); nothing at the
  /// first call, or if a counter cannot be read or was reset.
  std::optional<std::int64_t> milliwatts(MonotonicNs now);

 private:
  struct Counter {
    std::string file;
    std::int64_t range = 0;  // microjoules at which it starts again at 0
    std::int64_t before = -1;
  };

  std::vector<Counter> counters_;
  MonotonicNs last_ns_ = 0;
};

}  // namespace lapcast

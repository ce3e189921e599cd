#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Reads the power of all CPUs of this machine from RAPL, as Linux shows it in
/// /sys/class/powercap: of each package, and of its memory where that is counted apart. Most
/// kernels let only root read it, and virtual machines have none.
class RaplMeter {
 public:
  /// Finds the counters. `root` goes before the path of /sys; tests give a folder of their own.
  explicit RaplMeter(const std::string& root = "");

  /// Returns the mean power in mW since the last call, at this time of CLOCK_MONOTONIC. Returns
  /// nothing at the first call, and where a counter cannot be read or was reset.
  std::optional<std::int64_t> milliwatts(MonotonicNs now);

 private:
  struct Counter {
    std::string file;
    std::int64_t range = 0;  // it begins again at 0 after this count of microjoules
    std::int64_t before = -1;
  };

  std::vector<Counter> counters_;
  MonotonicNs last_ns_ = 0;
};

}  // namespace lapcast

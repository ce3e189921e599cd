#pragma once

#include <cstdint>

namespace lapcast::workloads {

/// Says which part of each batch one of several replicas works on. A batch of all of them is split
/// as evenly as it can be, in the order of their ranks.
struct Share {
  int64_t rank = 0;
  int64_t replicas = 1;

  /// Returns how many of `count` samples are this replica's.
  int64_t of(int64_t count) const { return border(count, rank + 1) - border(count, rank); }

  /// Returns which of `count` samples is this replica's first one.
  int64_t first_of(int64_t count) const { return border(count, rank); }

 private:
  int64_t border(int64_t count, int64_t i) const { return count * i / replicas; }
};

}  // namespace lapcast::workloads

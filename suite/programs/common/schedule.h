#pragma once

#include <cmath>
#include <cstdint>

namespace lapcast::workloads {

/// Returns the learning rate of epoch 1 ... `epochs` when it falls from `first` to `first` x
/// `share` by the same ratio after each epoch.
inline double falling_rate(double first, double share, int64_t epoch, int64_t epochs) {
  if (epochs <= 1) return first;
  return first * std::pow(share, static_cast<double>(epoch - 1) / static_cast<double>(epochs - 1));
}

}  // namespace lapcast::workloads

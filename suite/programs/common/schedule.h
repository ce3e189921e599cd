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

/// Returns which share of its rate step 0, 1, ... takes when the rate rises linearly over `steps`
/// steps, the last of which takes all (Goyal et al., "Accurate, large minibatch SGD",
/// arXiv:1706.02677, section 2.2); 1 after them.
inline double warm_up_share(int64_t step, int64_t steps) {
  return step + 1 < steps ? static_cast<double>(step + 1) / static_cast<double>(steps) : 1;
}

}  // namespace lapcast::workloads

#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace lapcast::workloads {

/// Calls work(begin, end) on up to `threads` threads at once with about equal parts of [0, count),
/// and returns when all are done. work must not throw.
template <typename Work>
void share_out(int64_t count, int64_t threads, const Work& work) {
  std::vector<std::jthread> team;
  const int64_t share = std::max<int64_t>(1, (count + threads - 1) / threads);
  for (int64_t begin = 0; begin < count; begin += share) {
    team.emplace_back(work, begin, std::min(count, begin + share));
  }
}

}  // namespace lapcast::workloads

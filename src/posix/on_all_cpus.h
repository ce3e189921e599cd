#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace lapcast {

/// Calls work(i) for each i below `count` on `threads` threads; 0 = one for each CPU, at most 16.
/// Rethrows what a call throws when all threads have ended.
template <class Work>
void on_all_cpus(std::size_t count, const Work& work, std::size_t threads = 0) {
  if (threads == 0) threads = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i; (i = next++) < count;) work(i);
  };
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < std::min(threads, count); ++i)
    others.push_back(std::async(std::launch::async, take));
  take();
  for (std::future<void>& other : others) other.get();
}

}  // namespace lapcast

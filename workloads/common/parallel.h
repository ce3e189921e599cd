#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace lapcast::workloads {

/// Calls `work(i)` once for each i below `count`, on up to `threads` threads: whoever is free takes
/// the next one. `make_work` makes the `work` of each thread, which may keep memory of its own.
/// When some throw, no others are begun, and what the smallest i threw is thrown here: the same for
/// any number of threads.
template <typename MakeWork>
void for_each_in_parallel(size_t count, int threads, MakeWork make_work) {
  std::atomic<size_t> next{0};
  std::vector<std::exception_ptr> errors(count);
  const auto run = [&] {
    auto work = make_work();
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        errors[i] = std::current_exception();
        next = count;  // all before this one have been begun and will be finished
      }
    }
  };
  {
    std::vector<std::jthread> team;
    const size_t useful = std::min(count, static_cast<size_t>(threads));
    for (size_t t = 1; t < useful; ++t) team.emplace_back(run);
    run();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace lapcast::workloads

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace lapcast::workloads {

/// Calls `work(i)` once for each i below `count` on up to `threads` threads; a free thread takes
/// the next i. `make_work` makes the `work` of each thread, which may keep its own memory. When
/// calls throw, no further ones begin, and the exception of the smallest i is rethrown: the same
/// one for any number of threads.
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
        next = count;  // All smaller i have begun and will be finished.
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

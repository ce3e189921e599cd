#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace lapcast {

/// Keeps two lapcast processes on one machine, even of different users, from measuring on the same
/// CPUs at once. Each CPU is an abstract Unix socket address (unix(7)), which only one socket can
/// hold. There is no file to leave behind, attack or grant rights on, and the kernel frees the
/// address however its holder ends. It is visible in one network namespace only: a container with a
/// namespace of its own does not see it.
class CpuLock {
 public:
  /// Is called while another process holds a CPU, first at once and then about ten times a second,
  /// with a line such as "waiting for CPU 1: process 4711 measures on it". Returns false to give
  /// up.
  using OnWait = std::function<bool(const std::string& message)>;

  /// Takes the CPUs in ascending order, so that two waiting processes cannot block each other; an
  /// empty set means all that this process may use. Returns the reason when on_wait gave up or the
  /// timeout is over; then no CPU is held. This process must not hold one of them already. `scope`
  /// separates tests from real measurements.
  static Result<CpuLock> acquire(std::vector<int> cpus, const OnWait& on_wait = {},
                                 std::optional<std::chrono::milliseconds> timeout = std::nullopt,
                                 const std::string& scope = "lapcast");
  CpuLock(CpuLock&& other) noexcept : sockets_(std::move(other.sockets_)) {
    other.sockets_.clear();
  }
  CpuLock& operator=(CpuLock&&) = delete;
  ~CpuLock();

 private:
  CpuLock() = default;
  std::vector<int> sockets_;
};

}  // namespace lapcast

#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "posix/files.h"

namespace lapcast {

/// Holds the power limit of one GPU, in watts.
struct GpuPowerLimit {
  std::string index;  // nvidia-smi's
  double now = 0;
  double least = 0;
  double most = 0;
};

/// Parses the output of nvidia-smi --query-gpu=index,power.limit,power.min_limit,power.max_limit
/// --format=csv,noheader,nounits. The reason says that there is no GPU, or which one has no limit
/// that can be set.
Result<std::vector<GpuPowerLimit>> parse_gpu_power_limits(std::string_view text);

/// Limits the power of all NVIDIA GPUs of this machine (nvidia-smi -pl) while a worker wants it, in
/// a process with a session of its own. It restores the limits when the worker asks for that or
/// ends, however it ends. Two guards never limit at once, not even those of different lapcast
/// processes.
struct PowerGuard {
  pid_t pid = -1;
  FileDescriptor socket;  // for the worker alone: the guard ends when nobody holds it
};
Result<PowerGuard> start_power_guard(int watts);

/// Sends the requests of a worker to its PowerGuard.
class PowerLimit {
 public:
  /// With -1 instead of a socket, both functions do nothing.
  explicit PowerLimit(int socket) : socket_(socket) {}
  /// Limits the GPUs. Waits while another lapcast limits them, as long as goes_on() is true. The
  /// reason says what nvidia-smi refused; then no limit is changed.
  Result<void> set(const std::function<bool()>& goes_on) const { return ask('s', goes_on); }
  /// Restores the limits that were set before. The reason says what failed.
  Result<void> restore() const {
    return ask('r', [] { return true; });
  }

 private:
  Result<void> ask(char what, const std::function<bool()>& goes_on) const;
  int socket_;
};

}  // namespace lapcast

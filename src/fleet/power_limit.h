#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "posix/files.h"
#include "run/run.h"

namespace lapcast {

/// Is the setting of a candidate whose program runs with limited GPUs: "power=250W". A program that
/// has the placeholder {power} has a setting of its own.
inline constexpr const char* kPowerSetting = "power";

/// Returns the values of that setting for "200,250": "200W" and "250W". Throws Error (usage) for
/// what is not a list of whole watts from 1 to 10,000, each once, and for a program with a setting
/// of that name.
std::vector<std::string> parse_power_limits(const std::string& text,
                                            const std::vector<std::string>& program);

/// Returns the watts of "250W"; nothing for another text.
std::optional<int> power_limit_of(std::string_view value);
/// Returns the watts that the GPUs are limited to while the program runs; nothing without a limit.
std::optional<int> power_limit_of(const RunContext& context);

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

/// Is the process that limits the power of all NVIDIA GPUs of this machine (nvidia-smi -pl) while a
/// worker wants it, and sets the limits back when the worker says so or ends, however it ends. It
/// has a session of its own. Two of them, of any lapcast, never limit at once.
struct PowerGuard {
  pid_t pid = -1;
  FileDescriptor socket;  // for the worker alone: the guard ends when nobody holds it
};
Result<PowerGuard> start_power_guard(int watts);

/// Asks a PowerGuard, from the worker.
class PowerLimit {
 public:
  /// Without a socket (-1) there is no limit, and nothing is to be done.
  explicit PowerLimit(int socket) : socket_(socket) {}
  /// Limits the GPUs; waits while another lapcast does, as long as `goes_on`. The reason says what
  /// nvidia-smi refused; then no limit is changed.
  Result<void> set(const std::function<bool()>& goes_on) const { return ask('s', goes_on); }
  /// Sets the limits back that were there before. The reason says what failed.
  Result<void> restore() const {
    return ask('r', [] { return true; });
  }

 private:
  Result<void> ask(char what, const std::function<bool()>& goes_on) const;
  int socket_;
};

}  // namespace lapcast

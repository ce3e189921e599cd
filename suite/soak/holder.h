#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/seconds.h"
#include "posix/files.h"
#include "probe/interrupt.h"
#include "spot/heartbeat.h"

namespace lapcast {

/// Keeps a device a little busy, so that the machine counts as used.
class LightLoad {
 public:
  virtual ~LightLoad() = default;
  /// Loads the device for that time, or until one of the descriptors can be read or has hung up.
  virtual void go_on(Seconds time, std::span<const int> wake_fds) = 0;
  /// Returns the units of work done so far: evidence that the device really computes.
  virtual std::int64_t work() const = 0;
  /// Returns why the device cannot be loaded, or not any more.
  virtual std::optional<Reason> failed() const { return std::nullopt; }
};

/// Loads one CPU for a `share` of the time, 0 to 1; a unit is a million steps of a random number
/// generator.
std::unique_ptr<LightLoad> cpu_load(double share);

/// Loads the first CUDA device for a `share` of the time, by a helper process that knows the driver
/// (helpers/cuda_load.c); a unit is one launch of its kernel.
std::unique_ptr<LightLoad> cuda_load(double share);

/// Returns the bytes of the program that helpers/cuda_load.c was built into.
std::string_view cuda_program();

/// Appends heartbeats to a file, which is created with mode 0600 and which one process writes at a
/// time. A line is on the disk when append() returns, as far as the file system keeps its promise.
class HeartbeatFile {
 public:
  /// Opens or creates the file, and its folder (0700). A torn last line costs only itself. Throws
  /// Error (system_failed) when it may not be written, is not a regular file, or another lapcast
  /// writes it.
  explicit HeartbeatFile(std::filesystem::path file);

  /// Appends one line. The reason says why the line may be lost: disk full, file system gone.
  Result<void> append(const Heartbeat& heartbeat);

 private:
  std::filesystem::path file_;
  FileDescriptor fd_;
  bool torn_ = false;  // the file ends within a line
};

/// Returns $XDG_DATA_HOME/lapcast/heartbeats, else ~/.local/share/lapcast/heartbeats.
std::filesystem::path default_heartbeat_file();

/// Describes an availability experiment, which holds this machine for as long as it is available.
struct Soak {
  Seconds every{60};            // from one heartbeat to the next
  std::optional<Seconds> most;  // the length; none = it goes on until it is interrupted
  std::string device = "cpu";
  std::string machine;  // a name for people
  int leash_fd = -1;    // ends it when this descriptor can be read or hangs up; -1 = none
};

/// Receives a heartbeat. Returns false when no more are wanted.
using HeartbeatSink = std::function<bool(const Heartbeat&)>;

/// Holds the machine with the load and passes each heartbeat of a session to `tell`. Returns a
/// reason when the device cannot be loaded any more: the session then has no last heartbeat, as
/// when the machine is lost.
std::optional<Reason> soak(const Soak& plan, LightLoad& load, const Interrupt& interrupt,
                           const HeartbeatSink& tell);

/// Reads both clocks of this machine.
Instant instant_now();
/// Returns the id of the boot that instant_now().boot_ns counts from; "-" when not known.
std::string boot_id();

}  // namespace lapcast

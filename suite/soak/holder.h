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

/// Keeps a device slightly busy, so that the machine counts as used.
class LightLoad {
 public:
  virtual ~LightLoad() = default;
  /// Loads the device for that time, or until one of the descriptors is readable or has hung up.
  virtual void go_on(Seconds time, std::span<const int> wake_fds) = 0;
  /// Returns the units of work done so far: evidence that the device really computes.
  virtual std::int64_t work() const = 0;
  /// Returns why the device cannot be loaded, or no longer.
  virtual std::optional<Reason> failed() const { return std::nullopt; }
};

/// Loads one CPU for a `share` of the time, 0 to 1; a unit is a million steps of a random number
/// generator.
std::unique_ptr<LightLoad> cpu_load(double share);

/// Loads the first CUDA device for a `share` of the time, through a helper process that uses the
/// driver (helpers/cuda_load.c); a unit is one launch of its kernel.
std::unique_ptr<LightLoad> cuda_load(double share);

/// Returns the bytes of the program built from helpers/cuda_load.c.
std::string_view cuda_program();

/// Appends heartbeats to a file, which is created with mode 0600 and written by one process at a
/// time. A line is on the disk when append() returns, if the file system keeps its promise.
class HeartbeatFile {
 public:
  /// Opens or creates the file, and its folder (0700). An incomplete last line is only lost itself.
  /// Throws Error (system_failed) if the file may not be written, is not a regular file, or another
  /// lapcast writes it.
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
  std::optional<Seconds> most;  // the length; nullopt = until it is interrupted
  std::string device = "cpu";
  std::string machine;  // a name for display
  int leash_fd = -1;    // ends the experiment if it is readable or hangs up; -1 = none
};

/// Receives a heartbeat. Returns false to stop.
using HeartbeatSink = std::function<bool(const Heartbeat&)>;

/// Holds the machine with the load and passes each heartbeat of a session to `tell`. Returns a
/// reason if the device can no longer be loaded: the session then has no last heartbeat, as if the
/// machine were lost.
std::optional<Reason> soak(const Soak& plan, LightLoad& load, const Interrupt& interrupt,
                           const HeartbeatSink& tell);

/// Reads both clocks of this machine.
Instant instant_now();
/// Returns the id of the boot from which instant_now().boot_ns counts; "-" if it is not known.
std::string boot_id();

}  // namespace lapcast

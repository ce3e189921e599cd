#pragma once

#include <filesystem>

#include "core/result.h"
#include "soak/heartbeat.h"

namespace lapcast {

/// An append-only file of heartbeats, private (0600) when it is made, written by one process at a
/// time. A line is on the disk when append() returns, as far as the file system keeps its promise.
class HeartbeatFile {
 public:
  /// Opens or creates, with its folder (0700). A torn last line is closed, so that it costs only
  /// itself. Throws Error (system_failed): no permission, no regular file, written by another.
  explicit HeartbeatFile(std::filesystem::path file);
  ~HeartbeatFile();
  HeartbeatFile(const HeartbeatFile&) = delete;
  HeartbeatFile& operator=(const HeartbeatFile&) = delete;

  /// The reason when it was not written: disk full, file system gone.
  Result<void> append(const Heartbeat& heartbeat);

 private:
  bool ends_within_a_line() const;
  std::filesystem::path file_;
  int fd_ = -1;
  bool torn_ = false;  // the next line has to be begun
};

/// $XDG_DATA_HOME/lapcast/heartbeats, else ~/.local/share/lapcast/heartbeats.
std::filesystem::path default_heartbeat_file();

}  // namespace lapcast

#pragma once

#include <filesystem>

#include "core/result.h"
#include "posix/file_descriptor.h"
#include "soak/heartbeat.h"

namespace lapcast {

/// Appends heartbeats to a file, private (0600) when it is made, which one process writes at a
/// time. A line is on the disk when append() returns, as far as the file system keeps its promise.
class HeartbeatFile {
 public:
  /// Opens or creates the file, and its folder (0700). A torn last line costs only itself. Throws
  /// Error (system_failed) when it may not be written, is no regular file, or another lapcast
  /// writes it.
  explicit HeartbeatFile(std::filesystem::path file);

  /// The reason says why the line may be lost: disk full, file system gone.
  Result<void> append(const Heartbeat& heartbeat);

 private:
  bool ends_within_a_line() const;
  std::filesystem::path file_;
  FileDescriptor fd_;
  bool torn_ = false;  // the file ends within a line
};

/// Returns $XDG_DATA_HOME/lapcast/heartbeats, else ~/.local/share/lapcast/heartbeats.
std::filesystem::path default_heartbeat_file();

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lapcast {

/// Writes the lap log that all `lapcast lap` calls of one run share, one event at a time. Use it
/// from one thread; other processes may append to the same log.
class ShellLog {
 public:
  /// Opens the log in a folder (LAPCAST_LOG_DIR) and waits for its lock. Throws Error (system).
  explicit ShellLog(const std::string& folder);
  ~ShellLog();
  ShellLog(const ShellLog&) = delete;
  ShellLog& operator=(const ShellLog&) = delete;

  /// Appends an event from its words, as event_line() takes them, at this moment. Throws Error:
  /// usage for words that are not an event, bad input for a log of something else, system when it
  /// cannot be written.
  void append(const std::vector<std::string>& words);

 private:
  /// Returns CLOCK_MONOTONIC of the hello that an earlier call wrote; nothing when this is the
  /// first.
  std::optional<std::int64_t> begin_of_log() const;

  int rank_;
  int fd_ = -1;
};

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "cli/progress_line.h"
#include "core/error.h"
#include "spot/heartbeat.h"

namespace lapcast {

/// Shows the availability experiment on the terminal: a live line, and a line for each change.
class HeartbeatDisplay {
 public:
  HeartbeatDisplay(bool quiet, std::string file) : line_(quiet), file_(std::move(file)) {}
  /// Shows a heartbeat. `written` says whether it was written to the file, or why not.
  void show(const Heartbeat& heartbeat, const Result<void>& written);
  /// Prints a line. Does not repeat it until another line was printed.
  void say(const std::string& text);

 private:
  ProgressLine line_;
  std::string file_;
  std::string said_;
  Instant begin_;
  std::size_t beats_ = 0;
};

}  // namespace lapcast

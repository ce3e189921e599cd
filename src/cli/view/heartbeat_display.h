#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "cli/view/progress_line.h"
#include "core/result.h"
#include "soak/heartbeat.h"

namespace lapcast {

/// The availability experiment on the terminal: a live line, and a line for what changed.
class HeartbeatDisplay {
 public:
  HeartbeatDisplay(bool quiet, std::string file) : line_(quiet), file_(std::move(file)) {}
  /// `written`: whether the heartbeat came to the file.
  void show(const Heartbeat& heartbeat, const Result<void>& written);
  /// Once, until something else is said.
  void say(const std::string& text);

 private:
  ProgressLine line_;
  std::string file_;
  std::string said_;
  Instant begin_;
  std::size_t beats_ = 0;
};

}  // namespace lapcast

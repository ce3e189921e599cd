#pragma once

#include <functional>

#include "cli/progress_line.h"
#include "commands/offload/offload.h"
#include "core/widening_schedule.h"

namespace lapcast {

/// Shows the progress of an offloaded training: as a live line on a terminal, else as a line at
/// intervals.
class JobDisplay {
 public:
  /// Refers to the job, which must outlive the display.
  JobDisplay(const OffloadedJob& job, bool quiet) : job_(job), quiet_(quiet), line_(quiet) {}
  std::function<void(const OffloadState&)> listener() {
    return [this](const OffloadState& state) { show(state); };
  }
  void end() { line_.clear(); }

 private:
  void show(const OffloadState& state);

  const OffloadedJob& job_;
  bool quiet_;
  ProgressLine line_;
  WideningSchedule plain_lines_;
};

}  // namespace lapcast

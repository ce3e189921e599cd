#pragma once

#include <functional>
#include <string>

#include "app/offload.h"
#include "cli/console.h"
#include "cli/view/progress_line.h"
#include "cli/view/watch_line.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Shows how a training goes on: as a live line on a terminal, else as a line now and then.
class JobDisplay {
 public:
  /// The job must outlive it.
  JobDisplay(const OffloadedJob& job, bool quiet) : job_(job), quiet_(quiet), line_(quiet) {}
  std::function<void(const OffloadState&)> listener() {
    return [this](const OffloadState& state) { show(state); };
  }
  /// Clears the live line.
  void end() { line_.clear(); }

 private:
  void show(const OffloadState& state);

  const OffloadedJob& job_;
  bool quiet_;
  ProgressLine line_;
  PlainLines plain_;
};

/// Adds a command that is told the ID of a training.
CLI::App* add_job_command(CLI::App& app, const char* name, const char* help, const char* footer,
                          std::string& id);

}  // namespace lapcast

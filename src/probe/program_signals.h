#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "probe/child_process.h"
#include "probe/request.h"

namespace lapcast {

/// Sends a program its signals: requests for a checkpoint, and TERM and KILL when it is to end.
class ProgramSignals {
 public:
  /// Without `save` no checkpoint is asked for.
  explicit ProgramSignals(std::optional<CheckpointSignal> save) : save_(save) {}

  /// Sends the signals to this program, which was started at started_ns and has to outlive this.
  void begin(const ChildProcess& program, MonotonicNs started_ns);
  /// Asks for a checkpoint where the next one is due.
  void ask_when_due(MonotonicNs now);
  /// Asks the program to save and to end: sends TERM at once, or after half of the grace if it
  /// saves or may be about to, and KILL after the grace.
  void end(MonotonicNs now, Seconds grace, bool may_save);
  /// Lets the next look() kill the program.
  void kill_at(MonotonicNs now) { kill_at_ = now; }
  /// Sends TERM and KILL when they are due.
  void look(MonotonicNs now);
  /// Returns a sentence about the requests that the program did not hear, if any.
  std::vector<std::string> warnings() const;

 private:
  bool ask_to_save() const;

  std::optional<CheckpointSignal> save_;
  const ChildProcess* program_ = nullptr;
  MonotonicNs next_ask_ = 0;
  int unheard_ = 0;  // requests
  std::optional<MonotonicNs> term_at_;
  std::optional<MonotonicNs> kill_at_;
};

}  // namespace lapcast

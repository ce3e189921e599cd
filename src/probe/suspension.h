#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "core/seconds.h"
#include "run/run.h"

namespace lapcast {

/// Stops and continues the processes below this one, and records when they stood still.
class Suspension {
 public:
  bool active() const { return active_; }
  /// Stops the process group and every descendant that left it (SIGSTOP). Not while active().
  void begin(pid_t group);
  /// Lets them go on (SIGCONT); only while active().
  void end(pid_t group);

  /// Says that the program ended while it was active(): no process is left to go on.
  void note_end();

  /// Returns the time from `from_ns` to `to_ns` without the pauses, one that goes on included.
  Seconds without_pauses(MonotonicNs from_ns, MonotonicNs to_ns) const;
  /// Returns the pauses that are over.
  const std::vector<Pause>& pauses() const { return pauses_; }
  MonotonicNs begun_ns() const { return begun_ns_; }
  /// Returns the most memory, in bytes, that one process held when it was stopped; 0 = not known.
  std::int64_t peak_memory_bytes() const { return peak_memory_bytes_; }

 private:
  bool active_ = false;
  MonotonicNs begun_ns_ = 0;
  std::int64_t peak_memory_bytes_ = 0;
  std::vector<Pause> pauses_;
};

}  // namespace lapcast

#include "probe/suspension.h"

#include <signal.h>

#include "posix/descendants.h"
#include "probe/clock.h"

namespace lapcast {

// The clock is read right beside the signal to the group, where a program's laps are made.
void Suspension::begin(pid_t group) {
  kill(-group, SIGSTOP);
  begun_ns_ = monotonic_ns();
  peak_memory_bytes_ = peak_memory_of(suspend_descendants()).value_or(0);
  active_ = true;
}

void Suspension::end(pid_t group) {
  note_end();
  kill(-group, SIGCONT);
  resume_descendants();
}

void Suspension::note_end() {
  pauses_.push_back({begun_ns_, monotonic_ns()});
  active_ = false;
}

Seconds Suspension::without_pauses(MonotonicNs from, MonotonicNs to) const {
  MonotonicNs paused = active_ ? to - begun_ns_ : 0;
  for (const Pause& pause : pauses_) paused += pause.end_ns - pause.begin_ns;
  return from_ns(to - from - paused);
}

}  // namespace lapcast

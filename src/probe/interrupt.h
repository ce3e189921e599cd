#pragma once

#include "core/seconds.h"

namespace lapcast {

/// Turns SIGINT, SIGTERM and SIGHUP of this process into something that a poll loop can wait for,
/// except a SIGHUP that nohup had ignored and what processes below this one send: a program that
/// ends its whole group with kill(0) does not mean lapcast. A process has one of these at a time;
/// its handlers stay installed until it is destroyed.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Returns a descriptor that is readable from the first signal on.
  int fd() const;
  /// Returns how many signals have come: 1 asks to end in order, 2 to end at once.
  int count() const;
  /// Returns the same once a signal has come, since this object was made, or after that time.
  int count_after(Seconds at_most) const;
  /// Makes the object of the parent usable in a forked child: forgets the parent's pipe and the
  /// signals that came before, and listens anew. Must be called in the child.
  void restart_in_child();
};

}  // namespace lapcast

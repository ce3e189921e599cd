#pragma once

#include "core/seconds.h"

namespace lapcast {

/// Turns SIGINT, SIGTERM and SIGHUP into something that a poll loop can wait for. Ignores SIGHUP
/// under nohup and signals from descendants of this process: a program that ends its whole group
/// with kill(0) does not mean lapcast. A process has one of these at a time; its handlers stay
/// installed until it is destroyed.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Returns a descriptor that is readable from the first signal on.
  int fd() const;
  /// Returns how many signals have come: 1 asks to end cleanly, 2 to end at once.
  int count() const;
  /// Returns count() once it is positive, or after `at_most`.
  int count_after(Seconds at_most) const;
  /// Makes the object of the parent usable in a forked child: forgets the parent's pipe and the
  /// signals that came before, and listens anew. Must be called in the child.
  void restart_in_child();
};

}  // namespace lapcast

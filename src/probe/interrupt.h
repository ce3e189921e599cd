#pragma once

namespace lapcast {

/// Turns SIGINT, SIGTERM and SIGHUP of this process into something that a poll loop can wait for;
/// not a SIGHUP that nohup had ignored. One per process; the handlers stay installed until it is
/// destroyed.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Readable from the first signal on, for ever.
  int fd() const;
  /// How many signals have come: 1 asks to end in order, 2 to end at once.
  int count() const;
  /// In a forked child: forget the parent's pipe and signals that came before, listen anew.
  void restart_in_child();
};

}  // namespace lapcast

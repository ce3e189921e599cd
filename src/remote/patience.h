#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/seconds.h"

namespace lapcast {

/// Returns how long a machine may be silent before it counts as not answering: 10 s, or what the
/// environment variable LAPCAST_PATIENCE says. Throws Error (usage) when that is not a duration
/// from 100 ms to 1 h.
Seconds contact_patience();

/// Returns how long a contact may take in all, signs of life or not: six times contact_patience().
Seconds longest_contact();

/// Watches a process that makes a connection to another machine (ssh, with the processes it started
/// itself for jump hosts). Bytes that it reads are signs of life of the other end.
class ContactWatch {
 public:
  explicit ContactWatch(pid_t process);
  /// Returns true when the process has read nothing for contact_patience(), or was watched for
  /// longest_contact(). Where the kernel does not tell what a process reads, only time counts.
  /// Reads /proc ten times a second at most.
  bool is_overdue();
  /// Notes a sign of life of the other end, besides the bytes that the process reads.
  void heard() { heard_now_ = true; }

 private:
  pid_t process_;
  std::int64_t bytes_read_ = 0;
  MonotonicNs begin_ns_;
  MonotonicNs heard_ns_;  // when bytes_read_ changed last
  MonotonicNs looked_ns_ = 0;
  bool heard_now_ = false;
  bool overdue_ = false;
};

/// Is the time between two signs of life of an agent (message::SignOfLife).
inline constexpr MonotonicNs kSignOfLifeEvery = 1'000'000'000;

/// Prints message::SignOfLife on stdout, from a process of its own, until it is stopped: for work
/// that may take longer than a coordinator waits. Nothing else may be printed meanwhile.
class SignsOfLife {
 public:
  SignsOfLife();
  ~SignsOfLife() { stop(); }
  SignsOfLife(const SignsOfLife&) = delete;
  SignsOfLife& operator=(const SignsOfLife&) = delete;
  /// Prints no more from now on.
  void stop();

 private:
  pid_t process_;
};

}  // namespace lapcast

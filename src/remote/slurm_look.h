#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "remote/host.h"
#include "remote/slurm_queue.h"

namespace lapcast {

/// Says when Slurm is asked next: soon after something happened, then more and more seldom.
class SlurmPace {
 public:
  bool is_due(MonotonicNs now) const { return now >= next_ns_; }
  MonotonicNs wait_ns() const { return wait_ns_; }
  void at_once(MonotonicNs now) { set(0, now); }
  void soon(MonotonicNs now) { set(kFirstWait, now); }
  void later(MonotonicNs now);
  void after_silence(MonotonicNs now) { set(kSilence, now); }
  static constexpr MonotonicNs kFirstWait = 500'000'000;

 private:
  void set(MonotonicNs wait_ns, MonotonicNs now) {
    wait_ns_ = wait_ns;
    next_ns_ = now + wait_ns;
  }
  static constexpr MonotonicNs kSilence = 15'000'000'000;
  static constexpr MonotonicNs kLongestWait = 30'000'000'000;
  MonotonicNs next_ns_ = 0;
  MonotonicNs wait_ns_ = 0;
};

/// Asks the queue of a cluster after one job, with one command at a time, without waiting for it.
class SlurmLook {
 public:
  struct Unanswered {
    HostFailure why;
  };
  struct Answer {
    std::optional<SlurmJob> job;  // none = it is in the queue no more
  };
  /// Nothing while the command runs.
  using Sight = std::variant<std::monostate, Unanswered, Answer>;

  SlurmLook(const Host& host, const SlurmQueue& queue) : host_(host), queue_(queue) {}
  bool is_under_way() const { return command_.has_value(); }
  /// Starts the command unless one runs, and takes what it has printed by now.
  Sight look(const std::string& folder, std::int64_t job, MonotonicNs now);
  /// Returns the lives that were printed by now. They are printed before squeue answers, which it
  /// may never do.
  SlurmLives lives() const;

 private:
  const Host& host_;
  const SlurmQueue& queue_;
  std::optional<RunningCommand> command_;
  MonotonicNs since_ns_ = 0;
  std::string printed_;
};

}  // namespace lapcast

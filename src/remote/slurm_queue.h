#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "remote/host.h"
#include "remote/slurm_nodes.h"
#include "remote/slurm_submission.h"
#include "remote/slurm_text.h"
#include "run/run.h"

namespace lapcast {

/// Asks the queue of a cluster on a host that has Slurm's commands. A failure that passes means
/// that the controller does not answer or the host cannot be reached; any other means that the
/// request cannot be fulfilled.
class SlurmQueue {
 public:
  explicit SlurmQueue(const Host& host) : host_(host) {}

  /// Submits the job of a run's folder and returns its number. Returns the number of the earlier
  /// job when one was submitted from that folder before or the result of one stands, even if an
  /// earlier call was cut off at any moment. No signal interrupts the call, so that no unknown job
  /// is left; the call is short.
  HostResult<std::int64_t> submit(const std::string& folder, const std::string& job_name,
                                  const std::vector<std::string>& command,
                                  const std::string& script) const;
  /// Forgets the job that was submitted from a folder, so that submit() makes a new one.
  HostResult<void> forget(const std::string& folder) const;

  /// Returns the command that prints the lives in a run's folder (take_lives()) at once, and then
  /// what squeue says of its job.
  static std::vector<std::string> look_command(const std::string& folder, std::int64_t job);
  /// Returns the job that this command printed; none if it is no longer in the queue.
  HostResult<std::optional<SlurmJob>> read_look(const CommandOutput& output) const;

  /// Returns how many waiting jobs of its partition have a higher priority.
  HostResult<std::int64_t> ahead_of(const SlurmJob& job) const;
  /// Returns how a job that has left the queue ended; none if the cluster keeps no accounts.
  std::optional<SlurmEnd> ended(std::int64_t job) const;
  /// Returns the name of a user of the host, "user 1000" if it has none.
  std::string user_name(std::int64_t id) const;
  /// Cancels a job; one that has ended is not a failure.
  HostResult<void> cancel(std::int64_t job) const;

 private:
  HostResult<std::optional<std::int64_t>> find(const std::string& folder,
                                               const std::string& job_name) const;
  HostFailure failure(const CommandOutput& output) const;
  const Host& host_;
};

/// Asks a cluster for the types of its nodes. When `cluster` names a partition, returns only the
/// types of that partition.
Result<std::vector<NodeType>> node_types(const Place& cluster);

/// Says how long a partition lets a job run.
struct PartitionLimit {
  std::string name;
  std::optional<Seconds> most;  // nothing: as long as it needs
};

/// Asks the cluster for the limit of its partition: of several, the longest. Returns the reason
/// when Slurm does not tell it, or the place names no partition and there are several.
Result<PartitionLimit> partition_limit(const Place& cluster);

/// Says when Slurm is asked next: soon after something happened, then less and less often.
class SlurmPace {
 public:
  bool is_due(MonotonicNs now) const { return now >= next_ns_; }
  MonotonicNs wait_ns() const { return wait_ns_; }
  /// Lets Slurm be asked from now on.
  void at_once(MonotonicNs now) { set(0, now); }
  /// Lets Slurm be asked again after kFirstWait.
  void soon(MonotonicNs now) { set(kFirstWait, now); }
  /// Makes the wait 1.5 times the last one, at most kLongestWait.
  void later(MonotonicNs now);
  /// Lets Slurm be asked again after kSilence.
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

/// Asks the queue of a cluster about one job. Runs one command at a time and does not wait for it.
class SlurmPoll {
 public:
  struct Unanswered {
    HostFailure why;
  };
  struct Answer {
    std::optional<SlurmJob> job;  // none = it is no longer in the queue
  };
  /// Holds what a look found. It is empty while the command still runs.
  using PollResult = std::variant<std::monostate, Unanswered, Answer>;

  SlurmPoll(const Host& host, const SlurmQueue& queue) : host_(host), queue_(queue) {}
  bool is_under_way() const { return command_.has_value(); }
  /// Starts the command unless one runs, and takes what it has printed by now.
  PollResult look(const std::string& folder, std::int64_t job, MonotonicNs now);
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

/// Holds a life of a job, and what squeue said of it when it began; none if squeue gave no answer.
struct SlurmStart {
  SlurmLife life;
  std::optional<SlurmJob> job;
};

/// Returns all lives of the jobs of a run, in their order, from lines "L.JOB.RESTARTS", each
/// followed by what squeue printed then. Leaves out damaged ones.
std::vector<SlurmStart> parse_slurm_history(std::string_view text);

/// Reads the lives from the folders of a run; empty if the host cannot be reached.
std::vector<SlurmStart> slurm_history(const Host& host, const std::string& folder);

/// Adds to the run how long its jobs waited in the queue, by the controller's own clock. Adds a
/// warning when the run had to be started more than once.
void add_history(const std::vector<SlurmStart>& history, Run& run);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "remote/host.h"
#include "remote/slurm_job.h"
#include "remote/slurm_nodes.h"
#include "remote/slurm_submission.h"

namespace lapcast {

/// Asks the queue of a cluster on a host that has Slurm's commands. A failure that passes means a
/// controller that does not answer, or a host that cannot be reached; one that does not pass means
/// that what was asked for cannot be had.
class SlurmQueue {
 public:
  explicit SlurmQueue(const Host& host) : host_(host) {}

  /// Submits the job of a run's folder, unless one was submitted from that folder before or the
  /// result of one stands, and returns its number. That holds also when an earlier call was cut off
  /// at any moment. No signal ends it, so that no job is left that nobody knows of; it does not
  /// take long.
  HostResult<std::int64_t> submit(const std::string& folder, const std::string& job_name,
                                  const std::vector<std::string>& command,
                                  const std::string& script) const;
  /// Forgets the job that was submitted from a folder, so that submit() makes another.
  HostResult<void> forget(const std::string& folder) const;

  /// Returns the command that prints the lives in the folder of a run (take_lives()), at once, and
  /// then what squeue says of its job.
  static std::vector<std::string> look_command(const std::string& folder, std::int64_t job);
  /// Returns the job of what that command printed; none when the job is not in the queue any more.
  HostResult<std::optional<SlurmJob>> read_look(const CommandOutput& output) const;

  /// Returns how many waiting jobs of its partition have a higher priority.
  HostResult<std::int64_t> ahead_of(const SlurmJob& job) const;
  /// Returns how a job that has left the queue ended; none where no accounts are kept.
  std::optional<SlurmEnd> ended(std::int64_t job) const;
  /// Returns the name of a user of the host, "user 1000" where it has none.
  std::string user_name(std::int64_t id) const;
  /// Cancels a job; one that has ended is no failure.
  HostResult<void> cancel(std::int64_t job) const;

 private:
  HostResult<std::optional<std::int64_t>> find(const std::string& folder,
                                               const std::string& job_name) const;
  HostFailure failure(const CommandOutput& output) const;
  const Host& host_;
};

/// Asks a cluster for the types of its nodes, with a partition for those of the partition only.
Result<std::vector<NodeType>> node_types(const Place& cluster);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace lapcast {

/// Holds what Slurm knows of one of our jobs. Texts are safe to show on a terminal.
struct SlurmJob {
  enum class Phase { waiting, running, ended };

  std::int64_t id = 0;
  std::string state;   // "PENDING", "TIMEOUT" ..., one of Slurm's words
  std::string reason;  // why it waits or how it ended: "Priority", "JobHeldUser"; empty = none
  std::string partition;
  std::string nodes;   // "one", "gpu[1-2]"; empty = none yet
  std::string gres;    // "gres:gpu:a100:1"; empty = none
  std::string folder;  // its working directory
  std::int64_t cpus = 0;
  std::int64_t priority = 0;
  std::int64_t time_limit_ns = 0;           // 0 = none
  std::optional<std::int64_t> submitted_s;  // on the controller's clock, since 1970
  std::optional<std::int64_t> started_s;    // of a waiting job: when Slurm expects it to start
  Phase phase() const;
  /// Returns whether it starts only when somebody releases it.
  bool held() const;
  friend bool operator==(const SlurmJob&, const SlurmJob&) = default;
};

/// Returns the options of squeue whose output parse_squeue() reads. squeue prints local times, so
/// it has to run with TZ=UTC0.
std::vector<std::string> squeue_options();

/// Reads what squeue printed with these options. Refuses everything else, and jobs of an array,
/// which lapcast does not submit.
Result<std::vector<SlurmJob>> parse_squeue(std::string_view text);

/// Reads the number of a job in what `sbatch --parsable` prints: "17" or "17;cluster".
Result<std::int64_t> parse_sbatch(std::string_view text);

/// Holds what sacct keeps of a job that has left the queue.
struct SlurmEnd {
  std::string state;                         // "CANCELLED", "TIMEOUT" ...
  std::optional<std::int64_t> cancelled_by;  // user id
  friend bool operator==(const SlurmEnd&, const SlurmEnd&) = default;
};
/// Returns the state of the job's last life that `sacct -X -n -P -o State` prints; absent when it
/// prints none, as on clusters without accounts.
std::optional<SlurmEnd> parse_sacct(std::string_view text);

}  // namespace lapcast

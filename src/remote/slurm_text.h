#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace lapcast {

// These functions read what Slurm's commands print, without trusting it: fields that lapcast asked
// for by -o, separated by a byte that occurs in no name.

constexpr char kSlurmSeparator = '\x1f';

/// Returns the -o argument for these fields: "%i", "%T" -> "%i\x1f%T".
std::string slurm_format(const std::vector<std::string_view>& fields);

/// Returns the lines of such a text, each with exactly that many fields, without blank lines.
/// Refuses lines with more or fewer fields, and more than 4 MiB.
Result<std::vector<std::vector<std::string_view>>> slurm_rows(std::string_view text,
                                                              std::size_t fields);

/// Returns a field without the blanks around it; Slurm's words for nothing ("(null)", "N/A",
/// "None") are empty.
std::string_view slurm_value(std::string_view field);

/// Parses "2026-11-22T05:49:31" as UTC. Returns seconds since 1970, and nothing for "N/A",
/// "Unknown" and what is not a date.
std::optional<std::int64_t> slurm_time(std::string_view text);

/// Parses Slurm's lengths of time: "30" and "30:00" (30 minutes), "1:00:00", "2-12:00:00". Returns
/// nanoseconds, 0 for a time without limit, and nothing for any other text.
std::optional<std::int64_t> slurm_duration_ns(std::string_view text);

/// Returns a time as sbatch's --time, rounded up to whole seconds: 90 s -> "0:01:30".
std::string slurm_duration_text(std::int64_t ns);

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
  /// Returns whether the job is held: it starts only when somebody releases it.
  bool held() const;
  friend bool operator==(const SlurmJob&, const SlurmJob&) = default;
};

/// Returns the options of squeue whose output parse_squeue() reads. squeue prints local times, so
/// it has to run with TZ=UTC0.
std::vector<std::string> squeue_options();

/// Reads what squeue printed with these options. Refuses everything else, and jobs of an array,
/// which lapcast does not submit.
Result<std::vector<SlurmJob>> parse_squeue(std::string_view text);

/// Parses the number of a job that `sbatch --parsable` prints: "17" or "17;cluster".
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

/// Returns why nodes in a state of sinfo cannot be used now, such as "drained"; empty where they
/// can. A sign behind a state says more of it (sinfo(1), NODE STATE CODES), and "+" joins several.
std::string why_unusable(std::string_view states);

}  // namespace lapcast

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "remote/slurm_job.h"
#include "run/run.h"

namespace lapcast {

/// Says how a job ended, as far as Slurm knows.
struct SlurmEnding {
  std::int64_t job = 0;
  std::string state;   // "TIMEOUT", "CANCELLED" ...; empty = the job is in no list any more
  std::string reason;  // "TimeLimit", "NonZeroExitCode" ...; empty = none
  std::string who;     // who cancelled it, "user 1000"; empty = not known
  std::int64_t time_limit_ns = 0;
};

/// Returns whether Slurm may have ended that run. Its signals reach the program too, which may then
/// end as if by itself; only a program that lapcast stopped, and not because of a signal, cannot
/// have been.
bool needs_slurms_word(const Run& run);

/// Returns whether the run did nothing wrong and another job can do it again: the job was preempted
/// for good, or its node failed.
bool deserves_another_job(const SlurmEnding& ending);

/// Returns "its Slurm job 17 was cancelled by user 1000", "... ran into its time limit of 60 s".
std::string describe(const SlurmEnding& ending);

/// Returns the run with the outcome that its job's end means: laps so far are kept as a budget that
/// was spent; a program without laps never had the time. When its job was not cut short it keeps
/// its outcome, and what Slurm adds (out of memory) becomes a warning.
Run judged_by_slurm(Run run, const SlurmEnding& ending);

/// Returns what to tell of a job that waits: "waiting in the queue: Priority, 3 ahead". `ahead`:
/// how many jobs of its partition with a higher priority wait; none = not known.
std::string waiting_note(const SlurmJob& job, std::optional<std::int64_t> ahead);

/// Returns why Slurm will never start the job as it is: a limit of its partition, a constraint that
/// no node meets, an account that may not. None = it may start.
std::optional<std::string> why_never(const SlurmJob& job);

}  // namespace lapcast

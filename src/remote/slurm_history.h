#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/host.h"
#include "remote/slurm_job.h"
#include "remote/slurm_submission.h"
#include "run/run.h"

namespace lapcast {

/// Holds a life of a job with what squeue said of it when it began; none where it could not be
/// asked.
struct SlurmStart {
  SlurmLife life;
  std::optional<SlurmJob> job;
};

/// Returns all lives of the jobs of a run, in their order, from lines "L.JOB.RESTARTS", each
/// followed by what squeue printed then. Leaves out damaged ones.
std::vector<SlurmStart> parse_slurm_history(std::string_view text);

/// Reads the lives from the folders of a run; empty where the host cannot be reached.
std::vector<SlurmStart> slurm_history(const Host& host, const std::string& folder);

/// Puts into the run how long its jobs waited in the queue, by the controller's own clock, and a
/// warning when it had to be started more than once.
void add_history(const std::vector<SlurmStart>& history, Run& run);

}  // namespace lapcast

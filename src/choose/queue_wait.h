#pragma once

#include <span>
#include <string>

#include "run/run.h"

namespace lapcast {

/// How long a job waits in a cluster's queue for that machine, from the runs on it. The jobs of one
/// sweep on one machine also wait for each other (docs/slurm.md): of each sweep only the shortest
/// wait counts. The mean of these; 0 where nothing waited in a queue.
Seconds queue_wait(std::span<const Run> runs, const std::string& machine);

}  // namespace lapcast

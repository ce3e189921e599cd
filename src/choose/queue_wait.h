#pragma once

#include <map>
#include <span>
#include <string>

#include "run/run.h"

namespace lapcast {

/// How long a job waits in a cluster's queue, by machine type, from the runs elsewhere. The jobs of
/// one sweep on one machine also wait for each other (docs/slurm.md): of each sweep only the
/// shortest wait counts. The mean of these.
std::map<std::string, Seconds> queue_waits(std::span<const Run> runs);

}  // namespace lapcast

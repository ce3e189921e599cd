#pragma once

namespace lapcast::workloads {

/// Returns how many CPUs this process may run on (its affinity, as set by taskset, Slurm or a
/// cpuset), at least 1. A CPU quota (cgroup) is not considered: it limits time, not the number of
/// CPUs.
int usable_cpus();

}  // namespace lapcast::workloads

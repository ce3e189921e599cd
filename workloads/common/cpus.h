#pragma once

namespace lapcast::workloads {

/// The CPUs that this process may run on (its affinity, as set by taskset, Slurm or a cpuset),
/// at least 1. A CPU quota (cgroup) does not count: it limits time, not the number of CPUs.
int usable_cpus();

}  // namespace lapcast::workloads

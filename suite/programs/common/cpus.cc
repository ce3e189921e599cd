#include "common/cpus.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace lapcast::workloads {

int usable_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  // cpu_set_t is too small for this machine.
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace lapcast::workloads

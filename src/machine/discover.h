#pragma once

#include <string>
#include <vector>

#include "machine/description.h"

namespace lapcast {

/// Describes this machine from /proc, /sys, /etc and a few system calls. Takes a few milliseconds,
/// and where there is an NVIDIA driver the time of one nvidia-smi, at most 10 s. Nothing that
/// cannot be found out is an error: `missing` says it. `root` goes before every path; tests give a
/// folder.
MachineDescription describe_this_machine(const std::string& root = "");

/// Returns the CPUs that this process may use, ascending.
std::vector<int> allowed_cpus();

}  // namespace lapcast

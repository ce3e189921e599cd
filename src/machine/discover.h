#pragma once

#include <string>
#include <vector>

#include "machine/description.h"

namespace lapcast {

/// Describes this machine from /proc, /sys, /etc and a few system calls. Takes a few milliseconds;
/// where there is an NVIDIA driver it also takes the time of one nvidia-smi, at most 10 s. Never
/// fails: `missing` names what could not be found out. `root` is put in front of every path; tests
/// pass a folder.
MachineDescription describe_this_machine(const std::string& root = "");

/// Returns the CPUs that this process may use, ascending.
std::vector<int> allowed_cpus();

}  // namespace lapcast

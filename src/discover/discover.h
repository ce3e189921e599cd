#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/description.h"
#include "machine/hardware_text.h"

namespace lapcast {

/// Describes this machine from /proc, /sys, /etc and a few system calls. Takes a few milliseconds;
/// with an NVIDIA driver also the time to ask its library, at most 10 s, and as long again for
/// nvidia-smi if the library does not answer. Never fails: `missing` names what could not be found
/// out. `root` is put in front of every path; tests pass a folder.
MachineDescription describe_this_machine(const std::string& root = "");

/// Returns the CPUs that this process may use, ascending.
std::vector<int> allowed_cpus();

/// Returns the UUIDs of the NVIDIA GPUs of this machine, in the order of the description's
/// accelerators; empty if the driver's library does not answer. Descriptions lack the UUIDs because
/// they are stored and sent.
std::vector<std::string> gpu_uuids_of_this_machine();

/// Returns the bytes of the executable built from helpers/gpu_facts.c.
std::string_view gpu_facts_program();

}  // namespace lapcast

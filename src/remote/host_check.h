#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "machine/description.h"
#include "machine/place.h"
#include "probe/interrupt.h"

namespace lapcast {

/// Returns the time since 1970 in nanoseconds.
std::int64_t wall_clock_ns();

/// Connects to a machine and asks its agent, which is sent first if it is lacking. Takes some
/// seconds, at most a minute or two. On a Slurm cluster, asks a node if one is free within
/// `node_patience`, and times the link to the login node. Names what the machine lacks for every
/// probe, not what a particular machine of a fleet file needs beyond that.
MachineCheck check_site(const PlaceSetup& setup, Seconds node_patience, const Interrupt& interrupt);

/// Describes this machine, with lapcast's own folder on it, which is created with mode 0700 when it
/// is absent. Takes some tens of milliseconds, more where Python starts slowly.
MachineFacts facts_of_this_machine(const std::string& folder);

/// Returns the versions of torch and of its cuDNN in the python3 of the PATH, without loading them;
/// empty texts for what is absent.
std::pair<std::string, std::string> torch_of_this_machine();

}  // namespace lapcast

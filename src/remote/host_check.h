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

/// Reaches a machine and asks its agent, which is sent when it is lacking. Takes some seconds, at
/// most a minute or two. Asks a node of a Slurm cluster when one is free within `node_patience`;
/// the link that is timed is that to the login node. Names what every probe needs and the machine
/// lacks, not what a certain machine of a fleet file needs beyond that.
MachineCheck check_site(const PlaceSetup& setup, Seconds node_patience, const Interrupt& interrupt);

/// Describes this machine, with lapcast's own folder on it, which is created with mode 0700 when it
/// is absent. Takes some tens of milliseconds, more where Python starts slowly.
MachineFacts facts_of_this_machine(const std::string& folder);

/// Returns the versions of torch and of its cuDNN in the python3 of the PATH, without loading them;
/// empty texts for what is not there.
std::pair<std::string, std::string> torch_of_this_machine();

}  // namespace lapcast

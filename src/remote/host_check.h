#pragma once

#include "machine/machine_check.h"
#include "machine/place.h"
#include "probe/interrupt.h"

namespace lapcast {

/// Reaches a site and asks it; lapcast is sent there when it is lacking. Takes some seconds, at most
/// a minute or two. Of a Slurm cluster a node is asked, if one is free within `node_patience`; the way
/// is that to the login node. What is lacking in general is said; what a certain machine of a fleet
/// needs beyond that is not known here.
MachineCheck check_site(const PlaceSetup& site, Seconds node_patience, const Interrupt& interrupt);

/// The other side: answers on stdout what is asked on stdin, until that ends. `folder`: lapcast's
/// own.
///   clock        -> clock NANOSECONDS-SINCE-1970
///   take BYTES   and so many bytes -> took
///   facts        -> the lines of machine_facts.h
void answer_checks(const std::string& folder);

}  // namespace lapcast

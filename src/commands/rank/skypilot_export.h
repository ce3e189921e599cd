#pragma once

#include <string>

#include "machine/place.h"
#include "query/rank_runs.h"

namespace lapcast {

/// Returns the winner as a SkyPilot task file, with what could not be known as comments.
/// `place_setup` is what the fleet file says of the winner's machine; nullptr = it could not be
/// read. Throws Error (some_failed) when SkyPilot cannot rent that machine, or when an argument is
/// not UTF-8 text.
std::string skypilot_export(const Winner& winner, const PlaceSetup* place_setup);

}  // namespace lapcast

#pragma once

#include <optional>

#include "cli/globals.h"
#include "core/result.h"
#include "fleet/fleet_file.h"

namespace lapcast {

/// The fleet file of the sweep that a run belongs to; it may be gone, or another by now. Empty = it
/// belongs to no sweep over a fleet.
std::string fleet_file_of(const Store& store, const Run& run);

/// What that file, read anew, says of the run's machine; the reason where it cannot be read (any more), or
/// knows no such machine.
Result<FleetMachine> fleet_machine_of(const Store& store, const Run& run);

}  // namespace lapcast

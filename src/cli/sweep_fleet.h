#pragma once

#include <optional>

#include "cli/globals.h"
#include "core/result.h"
#include "fleet/fleet_file.h"

namespace lapcast {

/// The fleet file of the sweep that a run belongs to; it may be gone, or another by now. Empty = it
/// belongs to no sweep over a fleet.
std::string fleet_file_of(const Store& store, const Run& run);

/// What that file, or `file` where one is named, says now of the run's machine; the reason where it
/// cannot be read (any more), or knows no such machine.
Result<FleetMachine> fleet_machine_of(const Store& store, const Run& run,
                                      const std::string& file = "");

/// Where a run of the store stood, to run its program there again; this machine for one that was here.
/// Error (bad input) when the fleet file does not know that place any more.
Site site_of(const Store& store, const Run& run, const std::string& file);

}  // namespace lapcast

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "fleet/fleet.h"
#include "machine/description.h"
#include "machine/machine_type.h"
#include "machine/place.h"
#include "price/offer.h"

namespace lapcast {

/// Reads a fleet file (docs/fleet.md). `changed` is the day of its last change, such as
/// "2026-11-20", for prices without a date; empty = today. Throws Error (bad input) with a line for
/// each wrong machine or section, which names file, line, column and what to do; `file` is for
/// messages and for prices without a source.
Fleet parse_fleet(std::string_view toml, const std::string& file, const std::string& changed = "");

/// Returns a fleet that has only this machine, at a price per hour if there is one.
Fleet fleet_of_this_machine(const std::optional<Offer>& price);

/// Returns a fleet file with a machine for each of the ssh hosts, or for this machine where there
/// are none, with comments that say what to fill in.
std::string fleet_text(const std::vector<std::string>& hosts);

/// Returns the machine of that name; nullptr when there is none.
const FleetMachine* machine_named(const Fleet& fleet, const std::string& name);

/// Parses "50%" into 0.5 CPUs and "150%" into 1.5. Throws Error (usage) when the text is not a
/// percentage, below 0.1 % or above 819200 % (8192 CPUs).
double parse_cpu_quota(std::string_view text);

/// Returns why a probe of that type cannot run on that machine: CPUs that do not exist or may not
/// be used, a quota above all CPUs or where none can be set; for a fleet's machine also what it
/// needs.
std::optional<Reason> why_cannot_run(const MachineType& type, const MachineDescription& here);
std::optional<Reason> why_cannot_run(const FleetMachine& machine, const MachineDescription& here);
/// Returns why the machine lacks the vector extension `needs`; none when it has it or `needs` is
/// empty.
std::optional<Reason> lacks_extension(const std::string& needs, const MachineDescription& here);

}  // namespace lapcast

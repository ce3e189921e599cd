#pragma once

#include <map>
#include <string>

#include "cli/globals.h"
#include "core/result.h"
#include "fleet/fleet_file.h"

namespace lapcast {

/// What the fleet files of stored runs say now of their machines: the store keeps only names. A file
/// is read, and its clusters are asked for their nodes, once.
class FleetLookup {
 public:
  /// `named`: the file to be read instead of that of a run's sweep; empty = that one.
  explicit FleetLookup(const Store& store, std::string named = "");

  /// The reason where the file cannot be read (any more), or knows no such machine, or the run was
  /// imported: a file that names a sweep does not choose the fleet file.
  Result<FleetMachine> machine_of(const Run& run);
  /// Where a run stood, to run its program there again; this machine for one that was here. Error
  /// (bad input) when the fleet file does not know that place any more.
  PlaceSetup site_of(const Run& run);

 private:
  /// Empty = the run belongs to no sweep over a fleet.
  std::string file_of(const Run& run) const;
  std::string named_;
  std::map<std::string, std::string> file_of_sweep_;
  std::map<std::string, Fleet> fleets_;  // by file
};

/// The machine of --to. Error (usage) when the fleet, of that file, has none of that name.
const FleetMachine& machine_named(const Fleet& fleet, const std::string& name,
                                  const std::string& file);

}  // namespace lapcast

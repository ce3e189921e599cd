#pragma once

#include <map>
#include <string>

#include "core/result.h"
#include "fleet/fleet_file.h"
#include "store/store.h"

namespace lapcast {

/// Returns the machine of that name. Throws Error (usage) that names --to when the fleet, of that
/// file, has none.
const FleetMachine& machine_named(const Fleet& fleet, const std::string& name,
                                  const std::string& file);

/// Finds the machines of stored runs in their fleet files as these are now: the store keeps only
/// names. A file is read, and its clusters are asked for their nodes, once.
class FleetLookup {
 public:
  /// Looks in the file `named` instead of that of a run's sweep, unless it is empty.
  explicit FleetLookup(const Store& store, std::string named = "");

  /// Returns the reason where the file cannot be read, or knows no such machine, or the run was
  /// imported: a file that names a sweep does not choose the fleet file.
  Result<FleetMachine> machine_of(const Run& run);
  /// Returns where a run's machine is, to run its program on it again; the default for a run of
  /// this machine. Throws Error (bad input) when the fleet file does not know that place any more.
  PlaceSetup site_of(const Run& run);

 private:
  /// Returns an empty name when the run belongs to no sweep over a fleet.
  std::string file_of(const Run& run) const;
  std::string named_;
  std::map<std::string, std::string> file_of_sweep_;
  std::map<std::string, Fleet> fleets_;  // by file
};

}  // namespace lapcast

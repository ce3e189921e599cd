#pragma once

#include <map>
#include <string>

#include "fleet/fleet_file.h"
#include "store/store.h"

namespace lapcast {

/// Where the machines of stored runs stand: the store keeps only their names, the fleet file of the
/// sweep knows the rest.
class SiteLookup {
 public:
  /// fleet_file: to be read instead of the one that the sweep was started with; empty = that one.
  SiteLookup(const Store& store, std::string fleet_file);

  /// This machine for a run that was here. Throws Error (bad input) when the fleet file cannot be
  /// read, or has no such machine at that place any more.
  Site of(const RunContext& context);

 private:
  std::string file_of(const RunContext& context) const;
  std::string fleet_file_;
  std::map<std::string, std::string> file_of_sweep_;
  std::map<std::string, Fleet> fleets_;  // by file
};

}  // namespace lapcast

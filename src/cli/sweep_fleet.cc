#include "cli/sweep_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/selection.h"
#include "core/units.h"

namespace lapcast {

std::string fleet_file_of(const Store& store, const Run& run) {
  const std::vector<Sweep> sweeps = store.sweeps();
  const auto own = std::find_if(sweeps.begin(), sweeps.end(), [&](const Sweep& sweep) {
    return sweep.id == run.context.sweep;
  });
  if (own == sweeps.end() || own->fleet_file.empty()) return {};
  return (std::filesystem::path(run.context.working_dir) / own->fleet_file).string();
}

Result<FleetMachine> fleet_machine_of(const Store& store, const Run& run) {
  const std::string file = fleet_file_of(store, run);
  if (file.empty()) return because("the run belongs to no sweep over a fleet file");
  try {
    const Fleet fleet = parse_fleet(read_file(file, "fleet file"), file);
    for (const FleetMachine& machine : fleet.machines)
      if (machine.type.name == run.context.machine_type.name) return machine;
  } catch (const Error& error) {
    return because(error.what());
  }
  return because(fmt::format("the fleet file {} has no machine '{}' any more", printable(file),
                             printable(run.context.machine_type.name)));
}

}  // namespace lapcast

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

Result<FleetMachine> fleet_machine_of(const Store& store, const Run& run,
                                      const std::string& named) {
  const std::string file = named.empty() ? fleet_file_of(store, run) : named;
  if (file.empty()) return because("the run belongs to no sweep over a fleet file");
  try {
    const Fleet fleet = with_nodes(read_fleet_file(file));
    for (const FleetMachine& machine : fleet.machines)
      if (machine.type.name == run.context.machine_type.name) return machine;
  } catch (const Error& error) {
    return because(error.what());
  }
  return because(fmt::format("the fleet file {} has no machine '{}' any more", printable(file),
                             printable(run.context.machine_type.name)));
}

Site site_of(const Store& store, const Run& run, const std::string& file) {
  const RunContext& context = run.context;
  if (context.place.empty()) return {};
  auto machine = fleet_machine_of(store, run, file);
  if (machine && describe(machine->site.place) == context.place) return machine->site;
  const std::string why =
      machine ? "the machine stands elsewhere in its fleet file now" : machine.error().text;
  throw Error(ExitCode::bad_input,
              fmt::format("run {} was on {}: {}; name the fleet file that has it with --fleet FILE",
                          context.id, printable(context.place), why));
}

}  // namespace lapcast

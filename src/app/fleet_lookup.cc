#include "app/fleet_lookup.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/input_files.h"
#include "core/units.h"

namespace lapcast {

const FleetMachine& machine_named(const Fleet& fleet, const std::string& name,
                                  const std::string& file) {
  for (const FleetMachine& machine : fleet.machines)
    if (machine.type.name == name) return machine;
  throw Error(ExitCode::usage, fmt::format("--to: there is no machine '{}' in {}", printable(name),
                                           printable(file)));
}

FleetLookup::FleetLookup(const Store& store, std::string named) : named_(std::move(named)) {
  for (const Sweep& sweep : store.sweeps()) file_of_sweep_[sweep.id] = sweep.fleet_file;
}

std::string FleetLookup::file_of(const Run& run) const {
  if (!named_.empty()) return named_;
  const auto own = file_of_sweep_.find(run.context.sweep);
  if (own == file_of_sweep_.end() || own->second.empty()) return {};
  return (std::filesystem::path(run.context.working_dir) / own->second).string();
}

Result<FleetMachine> FleetLookup::machine_of(const Run& run) {
  if (was_imported(run.context)) return because("the run was imported");
  const std::string file = file_of(run);
  if (file.empty()) return because("the run belongs to no sweep over a fleet file");
  try {
    auto known = fleets_.find(file);
    if (known == fleets_.end())
      known = fleets_.emplace(file, with_nodes(read_fleet_file(file))).first;
    for (const FleetMachine& machine : known->second.machines)
      if (machine.type.name == run.context.machine_type.name) return machine;
  } catch (const Error& error) {
    return because(error.what());
  }
  return because(fmt::format("the fleet file {} has no machine '{}' any more", printable(file),
                             printable(run.context.machine_type.name)));
}

PlaceSetup FleetLookup::site_of(const Run& run) {
  const RunContext& context = run.context;
  if (context.place.empty()) return {};
  auto machine = machine_of(run);
  if (machine && describe(machine->site.place) == context.place) return machine->site;
  const std::string why =
      machine ? "its fleet file has another place for the machine now" : machine.error().text;
  throw Error(ExitCode::bad_input,
              fmt::format("run {} was on {}: {}; name the fleet file that has it with --fleet FILE",
                          context.id, printable(context.place), why));
}

}  // namespace lapcast

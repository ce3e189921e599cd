#include "cli/site_lookup.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/selection.h"
#include "core/units.h"

namespace lapcast {

SiteLookup::SiteLookup(const Store& store, std::string fleet_file)
    : fleet_file_(std::move(fleet_file)) {
  for (const Sweep& sweep : store.sweeps()) file_of_sweep_[sweep.id] = sweep.fleet_file;
}

std::string SiteLookup::file_of(const RunContext& context) const {
  if (!fleet_file_.empty()) return fleet_file_;
  const auto known = file_of_sweep_.find(context.sweep);
  if (known == file_of_sweep_.end() || known->second.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("run {} was on {}, and no fleet file is known for it; name one with "
                            "--fleet FILE",
                            context.id, printable(context.place)));
  return (std::filesystem::path(context.working_dir) / known->second).string();
}

Site SiteLookup::of(const RunContext& context) {
  if (context.place.empty()) return {};
  const std::string file = file_of(context);
  auto known = fleets_.find(file);
  if (known == fleets_.end())
    known = fleets_.emplace(file, read_fleet(file)).first;
  Site site = site_of(known->second, context.machine_type.name);
  if (describe(site.place) == context.place) return site;
  throw Error(ExitCode::bad_input,
              fmt::format("{}: no machine '{}' on {}, where run {} was; name the fleet file that has "
                          "it with --fleet FILE",
                          printable(file), printable(context.machine_type.name),
                          printable(context.place), context.id));
}

}  // namespace lapcast

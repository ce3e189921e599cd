#include "fleet/node_type_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/units.h"

namespace lapcast {

std::vector<FleetMachine> machines_of(const FleetMachine& entry,
                                      const std::vector<NodeType>& types) {
  std::vector<FleetMachine> machines;
  for (const NodeType& type : types) {
    if (type.usable == 0) continue;
    FleetMachine machine = entry;
    machine.every_node_type = false;
    machine.type.name += "/" + type.name;
    machine.site.place = narrowed_to(entry.site.place, type);
    if (machine.offer) machine.offer->name = machine.offer->machine_type = machine.type.name;
    machines.push_back(std::move(machine));
  }
  std::sort(machines.begin(), machines.end(),
            [](const FleetMachine& a, const FleetMachine& b) { return a.type.name < b.type.name; });
  return machines;
}

Fleet with_node_types(const Fleet& fleet,
                      const std::function<Result<std::vector<NodeType>>(const Place&)>& ask) {
  Fleet result{{}, fleet.settings};
  std::set<std::string> names;
  for (const FleetMachine& entry : fleet.machines) {
    std::vector<FleetMachine> machines{entry};
    if (entry.every_node_type) {
      const auto types = ask(entry.site.place);
      if (!types) throw Error(ExitCode::system_failed, types.error().text);
      machines = machines_of(entry, *types);
    }
    if (machines.empty())
      throw Error(ExitCode::system_failed,
                  fmt::format("no node that machine '{}' could get is up; see sinfo",
                              printable(entry.type.name)));
    for (FleetMachine& machine : machines) {
      if (!names.insert(machine.type.name).second)
        throw Error(
            ExitCode::bad_input,
            fmt::format("two machines are named '{}', one of them as a node type; rename one",
                        printable(machine.type.name)));
      result.machines.push_back(std::move(machine));
    }
  }
  return result;
}

}  // namespace lapcast

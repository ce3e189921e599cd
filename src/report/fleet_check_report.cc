#include "report/fleet_check_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "core/units.h"
#include "report/machine_report.h"

namespace lapcast {
namespace {

Cell bytes_cell(std::int64_t bytes) {
  return bytes > 0 ? Cell(format_bytes(bytes)) : Cell();
}

std::string accelerators_of(const MachineDescription& machine) {
  std::string text;
  for (const Accelerator& accelerator : machine.accelerators)
    text += (text.empty() ? "" : ", ") + accelerator.model;
  return text;
}

std::string driver_of(const MachineDescription& machine) {
  return machine.accelerators.empty() ? "" : machine.accelerators.front().driver;
}

std::string state_of(const MachineCheck& check) {
  if (check.unreachable) return "not reached";
  return check.lacking.empty() ? "ready" : "lacks something";
}

/// Returns a cell function that is empty for a machine that was not reached.
template <class Value>
auto of_check(Value value) {
  return [value](const CheckedMachine& machine) {
    return machine.check.unreachable ? Cell() : cell_of(std::invoke(value, machine.check));
  };
}

std::vector<ColumnOf<CheckedMachine>> check_columns() {
  const auto machine = [](auto value) {
    return of_check([value](auto& check) { return value(check.facts.machine); });
  };
  const auto version = [](std::string MachineFacts::*which) {
    return of_check([which](auto& check) { return text_cell(check.facts.*which); });
  };
  const auto speed = [](const MachineCheck& check) {
    return check.bytes_per_second ? Cell(Number{*check.bytes_per_second * 8e-6, 1}) : Cell();
  };
  const ColumnTraits may_lack{.optional = true};
  return {
      {"machine", "machine", &CheckedMachine::name},
      {"place", "place", [](auto& r) { return text_cell(r.place); }, may_lack},
      {"state", "state", [](auto& r) { return state_of(r.check); }},
      {"cpu",
       "CPU",
       machine([](auto& m) { return text_cell(m.cpu_model); }),
       {.optional = true, .spare = 3}},
      {"threads", "threads", machine([](auto& m) { return m.threads; }), may_lack},
      {"free_memory", "free memory",
       machine([](auto& m) { return bytes_cell(m.available_memory_bytes); }), may_lack},
      {"free_disk", "free disk",
       of_check([](auto& check) { return bytes_cell(check.facts.disk_free_bytes); }), may_lack},
      {"accelerators", "accelerators",
       machine([](auto& m) { return text_cell(accelerators_of(m)); }), may_lack},
      {"driver", "GPU driver", machine([](auto& m) { return text_cell(driver_of(m)); }), may_lack},
      {"python", "Python", version(&MachineFacts::python), {.optional = true, .spare = 2}},
      {"torch", "PyTorch", version(&MachineFacts::torch), may_lack},
      {"tensorflow", "TensorFlow", version(&MachineFacts::tensorflow), may_lack},
      {"latency_s", "latency", of_check(&MachineCheck::latency), may_lack},
      {"link_mbit_per_s", "link Mbit/s", of_check(speed), may_lack},
      {"clock_offset_s",
       "clock offset",
       of_check(&MachineCheck::clock_offset),
       {.optional = true, .spare = 1}}};
}

}  // namespace

bool is_ready(const MachineCheck& check) {
  return !check.unreachable && check.lacking.empty();
}

std::vector<Table> fleet_check_tables(const std::vector<CheckedMachine>& machines) {
  Table overview = table_of("Fleet", check_columns(), machines);
  std::vector<Table> tables;
  std::set<std::string> described;
  for (const CheckedMachine& checked : machines) {
    if (checked.check.unreachable)
      overview.notes.push_back(
          fmt::format("{}: {}", checked.name, checked.check.unreachable->text));
    for (const std::string& lacking : checked.check.lacking)
      overview.notes.push_back(fmt::format("{} lacks {}", checked.name, lacking));
    if (!checked.check.node_not_asked.empty())
      overview.notes.push_back(fmt::format("{}: this is its login node; of the nodes {}",
                                           checked.name, checked.check.node_not_asked));
    if (checked.check.unreachable || !described.insert(checked.place).second) continue;
    tables.push_back(machine_table(checked.check.facts.machine));
    tables.back().title = checked.place.empty() ? "This machine" : checked.place;
  }
  tables.insert(tables.begin(), std::move(overview));
  return tables;
}

}  // namespace lapcast

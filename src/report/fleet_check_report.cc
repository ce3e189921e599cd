#include "report/fleet_check_report.h"

#include <fmt/format.h>

#include <set>

#include "core/units.h"
#include "report/machine_report.h"
#include "report/table_cell.h"

namespace lapcast {
namespace {

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

Cell bytes_cell(std::int64_t bytes) { return bytes > 0 ? Cell(format_bytes(bytes)) : Cell(); }

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

std::vector<Column> columns_of_check() {
  return {{.key = "machine", .header = "machine"},
          {.key = "place", .header = "place", .optional = true},
          {.key = "state", .header = "state"},
          {.key = "cpu", .header = "CPU", .optional = true, .spare = 3},
          {.key = "threads", .header = "threads", .optional = true},
          {.key = "free_memory", .header = "free memory", .optional = true},
          {.key = "free_disk", .header = "free disk", .optional = true},
          {.key = "accelerators", .header = "accelerators", .optional = true},
          {.key = "driver", .header = "GPU driver", .optional = true},
          {.key = "python", .header = "Python", .optional = true, .spare = 2},
          {.key = "torch", .header = "PyTorch", .optional = true},
          {.key = "tensorflow", .header = "TensorFlow", .optional = true},
          {.key = "latency_s", .header = "latency", .optional = true},
          {.key = "link_mbit_per_s", .header = "link Mbit/s", .optional = true},
          {.key = "clock_offset_s", .header = "clock offset", .optional = true, .spare = 1}};
}

std::vector<Cell> row_of(const CheckedMachine& checked) {
  const MachineCheck& check = checked.check;
  std::vector<Cell> row{checked.name, text_cell(checked.place), state_of(check)};
  if (check.unreachable) {
    row.resize(columns_of_check().size());
    return row;
  }
  const MachineFacts& facts = check.facts;
  const MachineDescription& machine = facts.machine;
  row.insert(row.end(),
             {text_cell(machine.cpu_model), Cell(std::int64_t{machine.threads}),
              bytes_cell(machine.available_memory_bytes), bytes_cell(facts.disk_free_bytes),
              text_cell(accelerators_of(machine)), text_cell(driver_of(machine)),
              text_cell(facts.python), text_cell(facts.torch), text_cell(facts.tensorflow),
              cell_of(check.latency),
              check.bytes_per_second ? Cell(Number{*check.bytes_per_second * 8e-6, 1}) : Cell(),
              cell_of(check.clock_offset)});
  return row;
}

}  // namespace

bool is_ready(const MachineCheck& check) { return !check.unreachable && check.lacking.empty(); }

std::vector<Table> fleet_check_tables(const std::vector<CheckedMachine>& machines) {
  Table overview{"Fleet", {}, columns_of_check(), {}, {}};
  std::vector<Table> tables;
  std::set<std::string> described;
  for (const CheckedMachine& checked : machines) {
    overview.rows.push_back(row_of(checked));
    if (checked.check.unreachable)
      overview.notes.push_back(fmt::format("{}: {}", checked.name, checked.check.unreachable->text));
    for (const std::string& lacking : checked.check.lacking)
      overview.notes.push_back(fmt::format("{} lacks {}", checked.name, lacking));
    if (!checked.check.node_not_asked.empty())
      overview.notes.push_back(fmt::format("{}: this is its login node; of the nodes {}", checked.name,
                                           checked.check.node_not_asked));
    if (checked.check.unreachable || !described.insert(checked.place).second) continue;
    tables.push_back(machine_table(checked.check.facts.machine));
    tables.back().title = checked.place.empty() ? "This machine" : checked.place;
  }
  tables.insert(tables.begin(), std::move(overview));
  return tables;
}

}  // namespace lapcast

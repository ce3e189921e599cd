#include "report/fleet_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/units.h"
#include "machine/machine_type.h"

namespace lapcast {
namespace {

/// Returns an empty cell for a size that is not known.
Cell bytes_cell(std::int64_t bytes) {
  return bytes > 0 ? Cell(Bytes{bytes}) : Cell();
}

/// Returns an empty cell for a number that is not known.
Cell count_cell(std::int64_t count) {
  return count > 0 ? cell_of(count) : Cell();
}

Cell clock_cell(const MachineDescription& machine) {
  return machine.max_clock_ghz > 0 ? Cell(Number{machine.max_clock_ghz, 2}) : Cell();
}

void add_set_up(std::vector<Figure>& figures, const std::string& key, const std::string& name,
                const GpuSetUp& gpu) {
  const Cell limit = gpu.power_limit_mw > 0
                         ? Cell(Number{static_cast<double>(gpu.power_limit_mw) / 1000, 0})
                         : Cell();
  figures.insert(figures.end(),
                 {{key + "_power_limit_w", name + " power limit W", limit},
                  {key + "_top_clock_mhz", name + " top clock MHz", count_cell(gpu.top_clock_mhz)},
                  {key + "_ecc", name + " ECC", text_cell(gpu.ecc)},
                  {key + "_mig", name + " MIG", text_cell(gpu.mig)},
                  {key + "_pcie", name + " PCIe", text_cell(gpu.pcie)},
                  {key + "_compute_mode", name + " compute mode", text_cell(gpu.compute_mode)}});
}

void add_accelerator(std::vector<Figure>& figures, std::size_t i, const Accelerator& accelerator) {
  const std::string key = fmt::format("accelerator_{}", i);
  const std::string name = fmt::format("accelerator {}", i);
  figures.insert(figures.end(),
                 {{key, name, accelerator.model},
                  {key + "_driver", name + " driver", text_cell(accelerator.driver)},
                  {key + "_memory_bytes", name + " memory", bytes_cell(accelerator.memory_bytes)},
                  {key + "_cores", name + " cores", text_cell(accelerator.cores)},
                  {key + "_cuda_cores", name + " CUDA cores", count_cell(accelerator.cuda_cores)},
                  {key + "_compute_capability", name + " compute capability",
                   text_cell(accelerator.compute_capability)},
                  {key + "_cuda", name + " CUDA", text_cell(accelerator.cuda)}});
  if (accelerator.set_up) add_set_up(figures, key, name, *accelerator.set_up);
}

/// Returns what is known of the machine; figures that are not known are not shown to people.
std::vector<Figure> figures_of(const MachineDescription& machine, const MachineExtras& extras) {
  std::vector<Figure> figures{
      {"host", "host", text_cell(machine.host)},
      {"system", "system", text_cell(machine.os)},
      {"cpu", "CPU", text_cell(machine.cpu_model)},
      {"architecture", "architecture", text_cell(machine.architecture)},
      {"vector_extension", "vector extension", text_cell(machine.isa)},
      {"hypervisor", "hypervisor", text_cell(machine.hypervisor)},
      {"sockets", "sockets", cell_of(machine.sockets)},
      {"cores", "cores", cell_of(machine.cores)},
      {"threads", "threads", cell_of(machine.threads)},
      {"usable_cpus", "usable CPUs", cell_of(machine.allowed_cpus.size())},
      {"usable_cpu_list", "", format_cpu_list(machine.allowed_cpus)},
      {"clock_ghz", "clock GHz", clock_cell(machine)},
      {"l3_cache_bytes", "L3 cache", bytes_cell(machine.l3_cache_bytes)},
      {"memory_bytes", "memory", Bytes{machine.memory_bytes}},
      {"available_memory_bytes", "available memory", Bytes{machine.available_memory_bytes}},
      {"cgroup_version", "cgroup version", cell_of(machine.cgroup_version)},
      {"cpu_quota_settable", "CPU quota settable", machine.quota_settable},
      {"limit_cpus", "CPU limit of this session",
       cell_if(machine.cpu_limit,
               [](double cpus) {
                 return Number{cpus, 2};
               })},
      {"memory_limit_bytes", "memory limit of this session",
       cell_if(machine.memory_limit_bytes, [](std::int64_t bytes) { return Bytes{bytes}; })}};
  for (std::size_t i = 0; i < machine.accelerators.size(); ++i) {
    add_accelerator(figures, i, machine.accelerators[i]);
    if (i < extras.gpu_uuids.size())
      figures.push_back({fmt::format("accelerator_{}_uuid", i),
                         fmt::format("accelerator {} UUID", i), text_cell(extras.gpu_uuids[i])});
  }
  figures.push_back({"torch", "torch", text_cell(extras.torch)});
  figures.push_back({"cudnn", "cuDNN", text_cell(extras.cudnn)});
  if (machine.accelerators.empty())
    figures.push_back({"", "accelerators", std::string("none found")});
  for (Figure& figure : figures)
    if (std::holds_alternative<std::monostate>(figure.value)) figure.name.clear();
  figures.push_back({"accelerators", "", cell_of(machine.accelerators.size())});
  return figures;
}

std::string accelerators_of(const MachineDescription& machine) {
  std::vector<std::string_view> models;
  for (const Accelerator& accelerator : machine.accelerators) models.push_back(accelerator.model);
  return fmt::format("{}", fmt::join(models, ", "));
}

std::string driver_of(const MachineDescription& machine) {
  return machine.accelerators.empty() ? "" : machine.accelerators.front().driver;
}

std::string state_of(const MachineCheck& check) {
  return check.unreachable ? "not reached" : is_ready(check) ? "ready" : "lacks something";
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
  return {
      {"machine", "machine", &CheckedMachine::name},
      {"place", "place", [](auto& r) { return text_cell(r.place); }, kOptional},
      {"state", "state", [](auto& r) { return state_of(r.check); }},
      {"cpu", "CPU", machine([](auto& m) { return text_cell(m.cpu_model); }), kOptional | spare(3)},
      {"threads", "threads", machine([](auto& m) { return m.threads; }), kOptional | spare(5)},
      {"usable_cpus", "usable CPUs", machine([](auto& m) { return m.allowed_cpus.size(); }),
       kOptional},
      {"free_memory_bytes", "free memory",
       machine([](auto& m) { return bytes_cell(m.available_memory_bytes); }), kOptional},
      {"free_disk_bytes", "free disk",
       of_check([](auto& check) { return bytes_cell(check.facts.disk_free_bytes); }), kOptional},
      {"accelerators", "accelerators",
       machine([](auto& m) { return text_cell(accelerators_of(m)); }), kOptional},
      {"driver", "GPU driver", machine([](auto& m) { return text_cell(driver_of(m)); }), kOptional},
      {"python", "Python", version(&MachineFacts::python), kOptional | spare(2)},
      {"torch", "PyTorch", version(&MachineFacts::torch), kOptional},
      {"tensorflow", "TensorFlow", version(&MachineFacts::tensorflow), kOptional},
      {"latency_s", "latency", of_check(&MachineCheck::latency), kOptional},
      {"link_mbit_per_s", "link Mbit/s", of_check(speed), kOptional},
      {"clock_offset_s", "clock offset", of_check(&MachineCheck::clock_offset),
       kOptional | spare(1)}};
}

struct Testbed {
  const CheckedMachine* machine;
  const Accelerator* gpu = nullptr;  // nullptr = it has none
  std::int64_t gpus = 0;             // of this kind
};

/// Returns a row for each machine, and for each kind of its GPUs if they differ.
std::vector<Testbed> testbeds_of(const std::vector<CheckedMachine>& machines) {
  std::vector<Testbed> rows;
  for (const CheckedMachine& checked : machines) {
    const std::size_t first = rows.size();
    for (const Accelerator& gpu : checked.check.facts.machine.accelerators) {
      const auto same = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                                     [&](const Testbed& row) { return *row.gpu == gpu; });
      if (same != rows.end())
        ++same->gpus;
      else
        rows.push_back({&checked, &gpu, 1});
    }
    if (rows.size() == first) rows.push_back({&checked});
  }
  return rows;
}

std::vector<ColumnOf<Testbed>> testbed_columns() {
  const auto machine = [](auto value) {
    return [value](const Testbed& row) -> Cell {
      return cell_of(value(row.machine->check.facts.machine));
    };
  };
  const auto gpu = [](auto value) {
    return [value](const Testbed& row) { return cell_if(row.gpu, value); };
  };
  const auto version = [](std::string MachineFacts::*which) {
    return [which](const Testbed& row) { return text_cell(row.machine->check.facts.*which); };
  };
  const auto cores_and_threads = [](auto& m) {
    if (m.threads == 0) return Cell();
    return Cell(fmt::format("{}/{}", m.cores > 0 ? std::to_string(m.cores) : "-", m.threads));
  };
  return {
      {"machine", "machine", [](auto& row) { return row.machine->name; }},
      {"cpu", "CPU", machine([](auto& m) { return text_cell(m.cpu_model); })},
      {"clock_ghz", "clock GHz", machine(clock_cell)},
      {"", "cores/threads", machine(cores_and_threads)},
      {"cores", "", machine([](auto& m) { return count_cell(m.cores); })},
      {"threads", "", machine([](auto& m) { return count_cell(m.threads); })},
      {"memory_bytes", "memory", machine([](auto& m) { return bytes_cell(m.memory_bytes); })},
      {"gpus", "GPUs", [](auto& row) { return count_cell(row.gpus); }, kOptional},
      {"gpu", "GPU", gpu([](auto& g) { return text_cell(g.model); })},
      {"cuda_cores", "CUDA cores", gpu([](auto& g) { return count_cell(g.cuda_cores); })},
      {"compute_capability", "compute capability",
       gpu([](auto& g) { return text_cell(g.compute_capability); }), kOptional | spare(1)},
      {"gpu_memory_bytes", "GPU memory", gpu([](auto& g) { return bytes_cell(g.memory_bytes); })},
      {"driver", "driver", gpu([](auto& g) { return text_cell(g.driver); }), kOptional | spare(3)},
      {"cuda", "CUDA", gpu([](auto& g) { return text_cell(g.cuda); }), kOptional | spare(4)},
      {"system", "system", machine([](auto& m) { return text_cell(m.os); }), kOptional | spare(6)},
      {"python", "Python", version(&MachineFacts::python), kOptional | spare(5)},
      {"torch", "PyTorch", version(&MachineFacts::torch), kOptional | spare(2)},
      {"tensorflow", "TensorFlow", version(&MachineFacts::tensorflow), kOptional | spare(2)}};
}

/// Returns "3 files, links and empty folders, 12.0 KiB".
template <class Row>
std::string sum_of(const std::vector<Row>& rows, const char* what) {
  std::int64_t bytes = 0;
  for (const Row& row : rows) bytes += row.bytes;
  return fmt::format("{} {}, {}", rows.size(), what, format_bytes(bytes));
}

/// Returns why machines were not reached, what they lack, and which are the same hardware.
std::vector<std::string> notes_of(const std::vector<CheckedMachine>& machines) {
  std::vector<std::string> notes;
  for (const CheckedMachine& checked : machines) {
    if (checked.check.unreachable)
      notes.push_back(fmt::format("{}: {}", checked.name, checked.check.unreachable->text));
    for (const std::string& lacking : checked.check.lacking)
      notes.push_back(fmt::format("{} lacks {}", checked.name, lacking));
    if (!checked.same_as.empty())
      notes.push_back(
          fmt::format("{} is the same hardware as {}: keep one of them, unless "
                      "only their prices are compared",
                      checked.name, checked.same_as));
    if (!checked.check.node_not_asked.empty())
      notes.push_back(fmt::format("{}: this is its login node; of the nodes {}", checked.name,
                                  checked.check.node_not_asked));
  }
  return notes;
}

}  // namespace

Table machine_table(const MachineDescription& machine, const MachineExtras& extras) {
  Table table = figure_table("machine", "This machine", figures_of(machine, extras));
  table.notes = machine.missing;
  return table;
}

bool is_ready(const MachineCheck& check) {
  return !check.unreachable && check.lacking.empty();
}

std::vector<Table> fleet_check_tables(const std::vector<CheckedMachine>& machines) {
  Table overview = table_of("fleet", "Fleet", check_columns(), machines);
  overview.notes = notes_of(machines);
  std::vector<Table> tables;
  std::set<std::string> described;
  for (const CheckedMachine& checked : machines) {
    if (checked.check.unreachable || !described.insert(checked.place).second) continue;
    Table& machine = tables.emplace_back(machine_table(checked.check.facts.machine));
    machine.name = "machines";
    machine.shape = Shape::rows;
    machine.figures.push_back({"place", "", text_cell(checked.place)});
    if (!checked.place.empty()) machine.title = checked.place;
  }
  // On a terminal one table has all hosts; what else is known of each is for programs.
  for (Table& machine : tables) machine.only_json = tables.size() > 1;
  tables.insert(tables.begin(), std::move(overview));
  return tables;
}

Table hardware_table(const std::vector<CheckedMachine>& machines) {
  const std::vector<Testbed> testbeds = testbeds_of(machines);
  Table table = table_of<Testbed>("hardware", "Hardware", testbed_columns(), testbeds);
  if (std::ranges::any_of(testbeds, [](const Testbed& row) { return row.gpus > 1; }))
    table.after.push_back("CUDA cores and GPU memory are those of one GPU.");
  table.notes = notes_of(machines);
  return table;
}

std::vector<Table> sent_files_tables(const std::vector<SentFileRow>& sent,
                                     const std::vector<UnsentFileRow>& unsent) {
  Table files = table_of<SentFileRow>("sent", "Sent",
                                      {{"path", "path", &SentFileRow::path},
                                       {"type", "type", &SentFileRow::type},
                                       {"part", "part", &SentFileRow::part},
                                       {"bytes", "bytes", &SentFileRow::bytes}},
                                      sent);
  files.after.push_back(sum_of(sent, "files, links and empty folders"));
  Table rest = table_of<UnsentFileRow>("not_sent", "Not sent, by default rules",
                                       {{"path", "path", &UnsentFileRow::path},
                                        {"rule", "rule", &UnsentFileRow::rule},
                                        {"bytes", "bytes", &UnsentFileRow::bytes}},
                                       unsent);
  rest.after.push_back(sum_of(unsent, "files and folders") +
                       "; to send one, write !NAME into .lapcastignore");
  return {std::move(files), std::move(rest)};
}

}  // namespace lapcast

#include "report/machine_report.h"

#include <fmt/format.h>

#include "core/units.h"
#include "machine/machine_type.h"

namespace lapcast {
namespace {

void add_fact(Table& table, std::string what, Cell value) {
  table.rows.push_back({std::move(what), std::move(value)});
}

void add_text(Table& table, std::string what, const std::string& text) {
  if (!text.empty()) add_fact(table, std::move(what), text);
}

void add_accelerator(Table& table, const Accelerator& accelerator, std::size_t number) {
  const std::string prefix = fmt::format("accelerator {}", number);
  add_fact(table, prefix, accelerator.model);
  add_text(table, prefix + " driver", accelerator.driver);
  if (accelerator.memory_bytes > 0)
    add_fact(table, prefix + " memory", format_bytes(accelerator.memory_bytes));
  add_text(table, prefix + " cores", accelerator.cores);
}

}  // namespace

Table machine_table(const MachineDescription& machine) {
  Table table{"This machine", {}, {{"property", "property"}, {"value", "value"}}, {}, {}};
  add_text(table, "host", machine.host);
  add_text(table, "system", machine.os);
  add_text(table, "CPU", machine.cpu_model);
  add_text(table, "architecture", machine.architecture);
  add_text(table, "vector extension", machine.isa);
  add_text(table, "hypervisor", machine.hypervisor);
  add_fact(table, "sockets", std::int64_t{machine.sockets});
  add_fact(table, "cores", std::int64_t{machine.cores});
  add_fact(table, "threads", std::int64_t{machine.threads});
  add_fact(table, "usable CPUs", format_cpu_list(machine.allowed_cpus));
  if (machine.max_clock_ghz > 0) add_fact(table, "clock GHz", Number{machine.max_clock_ghz, 2});
  if (machine.l3_cache_bytes > 0) add_fact(table, "L3 cache", format_bytes(machine.l3_cache_bytes));
  add_fact(table, "memory", format_bytes(machine.memory_bytes));
  add_fact(table, "available memory", format_bytes(machine.available_memory_bytes));
  add_fact(table, "cgroup version", std::int64_t{machine.cgroup_version});
  add_fact(table, "CPU quota settable", machine.quota_settable);
  if (machine.cpu_limit) add_fact(table, "CPU limit of this session", Number{*machine.cpu_limit, 2});
  if (machine.memory_limit_bytes)
    add_fact(table, "memory limit of this session", format_bytes(*machine.memory_limit_bytes));
  std::size_t number = 0;
  for (const Accelerator& accelerator : machine.accelerators)
    add_accelerator(table, accelerator, number++);
  if (machine.accelerators.empty()) add_fact(table, "accelerators", std::string("none found"));
  for (const std::string& missing : machine.missing) table.notes.push_back(missing);
  return table;
}

}  // namespace lapcast

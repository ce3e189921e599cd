#include "report/machine_report.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "machine/machine_type.h"

namespace lapcast {
namespace {

struct Property {
  std::string name;
  Cell value;
};

class PropertyList {
 public:
  void add(std::string name, Cell value) { list_.push_back({std::move(name), std::move(value)}); }
  void add_text(std::string name, const std::string& text) {
    if (!text.empty()) add(std::move(name), text);
  }
  void add_bytes(std::string name, std::int64_t bytes) {
    if (bytes > 0) add(std::move(name), format_bytes(bytes));
  }
  void add_accelerator(const Accelerator& accelerator, std::size_t number) {
    const std::string prefix = fmt::format("accelerator {}", number);
    add(prefix, accelerator.model);
    add_text(prefix + " driver", accelerator.driver);
    add_bytes(prefix + " memory", accelerator.memory_bytes);
    add_text(prefix + " cores", accelerator.cores);
  }
  const std::vector<Property>& list() const { return list_; }

 private:
  std::vector<Property> list_;
};

PropertyList properties_of(const MachineDescription& machine) {
  PropertyList properties;
  properties.add_text("host", machine.host);
  properties.add_text("system", machine.os);
  properties.add_text("CPU", machine.cpu_model);
  properties.add_text("architecture", machine.architecture);
  properties.add_text("vector extension", machine.isa);
  properties.add_text("hypervisor", machine.hypervisor);
  properties.add("sockets", std::int64_t{machine.sockets});
  properties.add("cores", std::int64_t{machine.cores});
  properties.add("threads", std::int64_t{machine.threads});
  properties.add("usable CPUs", format_cpu_list(machine.allowed_cpus));
  if (machine.max_clock_ghz > 0) properties.add("clock GHz", Number{machine.max_clock_ghz, 2});
  properties.add_bytes("L3 cache", machine.l3_cache_bytes);
  properties.add("memory", format_bytes(machine.memory_bytes));
  properties.add("available memory", format_bytes(machine.available_memory_bytes));
  properties.add("cgroup version", std::int64_t{machine.cgroup_version});
  properties.add("CPU quota settable", machine.quota_settable);
  if (machine.cpu_limit) properties.add("CPU limit of this session", Number{*machine.cpu_limit, 2});
  if (machine.memory_limit_bytes)
    properties.add("memory limit of this session", format_bytes(*machine.memory_limit_bytes));
  std::size_t number = 0;
  for (const Accelerator& accelerator : machine.accelerators)
    properties.add_accelerator(accelerator, number++);
  if (machine.accelerators.empty()) properties.add("accelerators", std::string("none found"));
  return properties;
}

}  // namespace

Table machine_table(const MachineDescription& machine) {
  Table table = table_of<Property>(
      "This machine",
      {{"property", "property", &Property::name}, {"value", "value", &Property::value}},
      properties_of(machine).list());
  table.notes = machine.missing;
  return table;
}

}  // namespace lapcast

#include "machine/discover.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "machine/discover_accelerators.h"
#include "machine/discover_cpu.h"
#include "machine/proc_text.h"
#include "machine/system_cgroup.h"
#include "machine/system_file.h"

namespace lapcast {
namespace {

void describe_system(const std::string& root, MachineDescription& machine) {
  machine.os = parse_os_release(read_system_file(root + "/etc/os-release", 16384).value_or(""));
  utsname names{};
  if (::uname(&names) != 0) return;
  machine.host = names.nodename;
  machine.os += std::string(machine.os.empty() ? "" : ", ") + names.sysname + " " + names.release;
}

void describe_memory(const std::string& root, MachineDescription& machine) {
  const MemoryInfo memory =
      parse_meminfo(read_system_file(root + "/proc/meminfo", 16384).value_or(""));
  machine.memory_bytes = memory.total_bytes;
  machine.available_memory_bytes = memory.available_bytes;
  if (memory.total_bytes == 0) machine.missing.push_back("memory: /proc/meminfo does not tell it");
}

void describe_limits(const std::string& root, MachineDescription& machine) {
  machine.cgroup_version = cgroup_version(root);
  machine.cpu_limit = cgroup_cpu_limit(root);
  machine.memory_limit_bytes = cgroup_memory_limit(root);
  if (machine.memory_limit_bytes && machine.memory_bytes > 0 &&
      *machine.memory_limit_bytes >= machine.memory_bytes) {
    machine.memory_limit_bytes.reset();  // more than there is limits nothing
  }
  const auto parent = find_quota_parent(root);
  machine.quota_settable = parent.has_value();
  if (!parent) machine.missing.push_back(parent.error().text);
}

/// Returns why the cycle counter cannot be read; empty when it can.
std::string counter_problem() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long fd = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return std::strerror(errno);
  ::close(static_cast<int>(fd));
  return {};
}

void describe_instruments(const std::string& root, MachineDescription& machine) {
  const std::string counters = counter_problem();
  if (!counters.empty()) {
    machine.missing.push_back("no hardware performance counters: perf_event_open says '" +
                              counters + "'");
  }
  const std::string energy = root + "/sys/class/powercap/intel-rapl:0/energy_uj";
  if (::access(energy.c_str(), F_OK) != 0) {
    machine.missing.push_back("no energy counter (RAPL): the kernel shows none");
  } else if (::access(energy.c_str(), R_OK) != 0) {
    machine.missing.push_back("no energy counter (RAPL): only root may read it");
  }
}

}  // namespace

MachineDescription describe_this_machine(const std::string& root) {
  MachineDescription machine;
  describe_system(root, machine);
  describe_cpus(root, machine);
  machine.allowed_cpus = allowed_cpus();
  describe_memory(root, machine);
  describe_limits(root, machine);
  machine.accelerators = find_accelerators(root, machine.missing);
  describe_instruments(root, machine);
  return machine;
}

}  // namespace lapcast

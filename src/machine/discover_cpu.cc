#include "machine/discover_cpu.h"

#include <sched.h>
#include <sys/utsname.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>

#include "core/error.h"
#include "machine/cpu_info.h"
#include "machine/machine_type.h"
#include "machine/proc_text.h"
#include "machine/system_file.h"

namespace lapcast {
namespace {

const std::string kCpus = "/sys/devices/system/cpu";

std::string cpu_folder(const std::string& root, int cpu) {
  return root + kCpus + "/cpu" + std::to_string(cpu);
}

std::vector<int> online_cpus(const std::string& root) {
  try {
    return parse_cpu_list(read_system_line(root + kCpus + "/online"));
  } catch (const Error&) {
    return {};
  }
}

/// Counts sockets and cores: the distinct sets of CPUs that share one (the names of Linux before
/// 5.4 are the second ones).
void count_topology(const std::string& root, const std::vector<int>& cpus,
                    MachineDescription& machine) {
  std::set<std::string> packages, cores;
  for (const int cpu : cpus) {
    const std::string topology = cpu_folder(root, cpu) + "/topology/";
    const auto set_of = [&](const char* now, const char* before) {
      const std::string list = read_system_line(topology + now);
      return list.empty() ? read_system_line(topology + before) : list;
    };
    packages.insert(set_of("package_cpus_list", "core_siblings_list"));
    cores.insert(set_of("core_cpus_list", "thread_siblings_list"));
  }
  if (packages.contains("") || cores.contains("") || cores.empty()) {
    machine.missing.push_back("sockets and cores: the kernel does not tell the CPU topology");
    return;
  }
  machine.sockets = static_cast<int>(packages.size());
  machine.cores = static_cast<int>(cores.size());
}

std::string level3_index(const std::string& root, int cpu) {
  for (const std::string& name : list_system_directory(cpu_folder(root, cpu) + "/cache")) {
    const std::string path = cpu_folder(root, cpu) + "/cache/" + name;
    if (name.starts_with("index") && read_system_line(path + "/level") == "3") return name;
  }
  return {};
}

/// Returns the sum of all level 3 caches: each is listed at every CPU that shares it.
std::int64_t level3_bytes(const std::string& root, const std::vector<int>& cpus) {
  if (cpus.empty()) return 0;
  const std::string index = level3_index(root, cpus[0]);
  std::map<std::string, std::int64_t> caches;
  for (const int cpu : cpus) {
    const std::string path = cpu_folder(root, cpu) + "/cache/" + index;
    const std::string sharers = read_system_line(path + "/shared_cpu_list");
    if (index.empty() || sharers.empty() || caches.contains(sharers)) continue;
    caches[sharers] = parse_cache_size(read_system_line(path + "/size"));
  }
  std::int64_t sum = 0;
  for (const auto& [sharers, bytes] : caches) sum += bytes;
  return sum;
}

double highest_clock_ghz(const std::string& root) {
  std::int64_t khz = 0;
  const std::string folder = root + kCpus + "/cpufreq/";
  for (const std::string& policy : list_system_directory(folder)) {
    const auto most = parse_integer(read_system_line(folder + policy + "/cpuinfo_max_freq"));
    khz = std::max(khz, most.value_or(0));
  }
  return static_cast<double>(khz) * 1e-6;
}

void describe_clock(const std::string& root, const CpuInfo& info, MachineDescription& machine) {
  machine.max_clock_ghz = highest_clock_ghz(root);
  if (machine.max_clock_ghz > 0) return;
  machine.max_clock_ghz = info.nominal_ghz > 0 ? info.nominal_ghz : info.clock_ghz;
  machine.missing.push_back(
      machine.max_clock_ghz > 0
          ? "highest clock: no cpufreq here, the clock shown is " +
                std::string(info.nominal_ghz > 0 ? "the nominal one" : "that of this moment")
          : "clock: neither cpufreq nor /proc/cpuinfo tells it");
}

std::string cpuid_hypervisor() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned words[4] = {};
  __cpuid(0x40000000, words[0], words[1], words[2], words[3]);
  return hypervisor_name({reinterpret_cast<const char*>(words + 1), 12});
#else
  return {};
#endif
}

/// Returns "KVM (Amazon EC2 c5.xlarge)": the hypervisor, and what the firmware calls the machine.
std::string find_hypervisor(const std::string& root, const CpuInfo& info) {
  std::string name = info.virtualised ? cpuid_hypervisor() : "";
  if (name.empty() && read_system_line(root + "/sys/hypervisor/type") == "xen") name = "Xen";
  if (name.empty() && info.virtualised) name = "unknown";
  if (name.empty()) return {};
  const std::string vendor = read_system_line(root + "/sys/class/dmi/id/sys_vendor");
  const std::string product = read_system_line(root + "/sys/class/dmi/id/product_name");
  const std::string both = vendor + (vendor.empty() || product.empty() ? "" : " ") + product;
  return both.empty() ? name : name + " (" + both + ")";
}

}  // namespace

void describe_cpus(const std::string& root, MachineDescription& machine) {
  // The kernel asks every CPU for its clock as it writes this file: the first processor is enough.
  constexpr std::size_t kFirstProcessor = 8192;
  const CpuInfo info =
      parse_cpuinfo(read_system_file(root + "/proc/cpuinfo", kFirstProcessor).value_or(""));
  utsname names{};
  if (::uname(&names) == 0) machine.architecture = names.machine;
  machine.cpu_model = info.model;
  machine.isa = info.isa;
  machine.hypervisor = find_hypervisor(root, info);
  const std::vector<int> online = online_cpus(root);
  machine.threads = static_cast<int>(online.size());
  count_topology(root, online, machine);
  machine.l3_cache_bytes = level3_bytes(root, online);
  describe_clock(root, info, machine);
  if (info.model.empty()) machine.missing.push_back("CPU model: /proc/cpuinfo does not tell it");
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  constexpr int kMost = 8192;
  cpu_set_t* set = CPU_ALLOC(kMost);
  if (!set) return cpus;
  const std::size_t size = CPU_ALLOC_SIZE(kMost);
  CPU_ZERO_S(size, set);
  if (::sched_getaffinity(0, size, set) == 0) {
    for (int cpu = 0; cpu < kMost; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set)) cpus.push_back(cpu);
    }
  }
  CPU_FREE(set);
  return cpus;
}

}  // namespace lapcast

#include "discover/discover.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/hash.h"
#include "discover/system_cgroup.h"
#include "machine/allocators.h"
#include "machine/hardware_text.h"
#include "machine/machine_type.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "posix/spawn.h"

namespace lapcast {
namespace {

constexpr std::chrono::seconds kPatience{10};
const std::string kCpus = "/sys/devices/system/cpu";

std::string cpuid_hypervisor() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned words[4] = {};
  __cpuid(0x40000000, words[0], words[1], words[2], words[3]);
  return hypervisor_name({reinterpret_cast<const char*>(words + 1), 12});
#else
  return {};
#endif
}

/// Returns why the cycle counter cannot be read; empty when it can.
std::string counter_problem() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return std::strerror(errno);
  close(static_cast<int>(fd));
  return {};
}

/// Runs the helper from a file in memory, and returns what it prints about the NVIDIA GPUs; empty
/// if the driver's library does not answer.
std::string told_by_nvml() {
  const FileDescriptor file(memfd_create("lapcast-gpu-facts", MFD_CLOEXEC));
  if (!file.is_open() || !write_all(file.get(), gpu_facts_program())) return {};
  return output_of({"/proc/self/fd/" + std::to_string(file.get())}, kPatience).value_or("");
}

/// Fills in the description of a machine whose files lie below `root`.
class Discovery {
 public:
  explicit Discovery(const std::string& root) : root_(root) {}

  MachineDescription describe() {
    describe_system();
    describe_cpus();
    find_allocators();
    machine_.allowed_cpus = allowed_cpus();
    describe_memory();
    describe_limits();
    find_nvidia();
    find_amd();
    describe_instruments();
    return std::move(machine_);
  }

 private:
  std::string text(const std::string& path, std::size_t max_bytes = 16384) const {
    return text_of_file(root_ + path, max_bytes);
  }
  std::string line(const std::string& path) const { return read_system_line(root_ + path); }
  std::vector<std::string> list(const std::string& path) const {
    return list_system_directory(root_ + path);
  }
  bool exists(const std::string& path, int mode = F_OK) const {
    return access((root_ + path).c_str(), mode) == 0;
  }
  void lacks(std::string what) { machine_.missing.push_back(std::move(what)); }

  void describe_system() {
    machine_.os = parse_os_release(text("/etc/os-release"));
    // Only a hash of the number may leave the machine.
    if (const std::string boot = line("/proc/sys/kernel/random/boot_id"); !boot.empty()) {
      ContentHash hash;
      hash.add(boot);
      machine_.boot_id = hash.hex();
    }
    utsname names{};
    if (uname(&names) != 0) return;
    machine_.architecture = names.machine;
    machine_.host = names.nodename;
    machine_.os +=
        std::string(machine_.os.empty() ? "" : ", ") + names.sysname + " " + names.release;
  }

  void describe_cpus() {
    // The kernel asks every CPU for its clock as it writes this file, so only its beginning is
    // read.
    const CpuInfo info = parse_cpuinfo(text("/proc/cpuinfo", 8192));
    machine_.cpu_model = info.model;
    machine_.isa = info.isa;
    machine_.hypervisor = hypervisor(info);
    const std::vector<int> online = online_cpus();
    machine_.threads = static_cast<int>(online.size());
    count_topology(online);
    machine_.l3_cache_bytes = level3_bytes(online);
    describe_clock(info);
    if (info.model.empty()) lacks("CPU model: /proc/cpuinfo does not tell it");
  }

  void find_allocators() {
    const auto* const folder = std::ranges::find_if(
        kLibraryFolders, [this](const char* path) { return exists(path, X_OK); });
    if (folder == kLibraryFolders.end()) return;
    std::vector<std::string> found;
    for (const KnownAllocator& known : kAllocators)
      if (std::string path = std::string(*folder) + "/" + known.file; exists(path, R_OK))
        found.push_back(std::move(path));
    if (!found.empty()) machine_.allocators = std::move(found);
  }

  /// Returns "KVM (Amazon EC2 c5.xlarge)": the hypervisor, and what the firmware calls the machine.
  std::string hypervisor(const CpuInfo& info) const {
    std::string name = info.virtualised ? cpuid_hypervisor() : "";
    if (name.empty() && line("/sys/hypervisor/type") == "xen") name = "Xen";
    if (name.empty() && info.virtualised) name = "unknown";
    if (name.empty()) return {};
    const std::string firmware =
        line("/sys/class/dmi/id/sys_vendor") + " " + line("/sys/class/dmi/id/product_name");
    return firmware == " " ? name : name + " (" + std::string(trimmed(firmware)) + ")";
  }

  std::vector<int> online_cpus() const {
    try {
      return parse_cpu_list(line(kCpus + "/online"));
    } catch (const Error&) {
      return {};
    }
  }

  /// Counts sockets and cores: the distinct sets of CPUs that share one. The second names are those
  /// of Linux before 5.4.
  void count_topology(const std::vector<int>& cpus) {
    std::set<std::string> packages, cores;
    for (const int cpu : cpus) {
      const std::string topology = kCpus + "/cpu" + std::to_string(cpu) + "/topology/";
      const auto set_of = [&](const char* now, const char* before) {
        const std::string cpu_list = line(topology + now);
        return cpu_list.empty() ? line(topology + before) : cpu_list;
      };
      packages.insert(set_of("package_cpus_list", "core_siblings_list"));
      cores.insert(set_of("core_cpus_list", "thread_siblings_list"));
    }
    if (packages.contains("") || cores.contains("") || cores.empty())
      return lacks("sockets and cores: the kernel does not tell the CPU topology");
    machine_.sockets = static_cast<int>(packages.size());
    machine_.cores = static_cast<int>(cores.size());
  }

  /// Returns the sum of all level 3 caches: each is listed at every CPU that shares it.
  std::int64_t level3_bytes(const std::vector<int>& cpus) const {
    const auto cache_folder = [](int cpu) {
      return kCpus + "/cpu" + std::to_string(cpu) + "/cache/";
    };
    std::string level3;
    if (cpus.empty()) return 0;
    for (const std::string& index : list(cache_folder(cpus[0])))
      if (line(cache_folder(cpus[0]) + index + "/level") == "3") level3 = index;
    if (level3.empty()) return 0;
    std::map<std::string, std::int64_t> caches;
    for (const int cpu : cpus) {
      const std::string path = cache_folder(cpu) + level3;
      const std::string sharers = line(path + "/shared_cpu_list");
      if (sharers.empty() || caches.contains(sharers)) continue;
      caches[sharers] = parse_cache_size(line(path + "/size"));
    }
    std::int64_t sum = 0;
    for (const auto& [sharers, bytes] : caches) sum += bytes;
    return sum;
  }

  void describe_clock(const CpuInfo& info) {
    std::int64_t khz = 0;
    for (const std::string& policy : list(kCpus + "/cpufreq/")) {
      const auto most = parse_integer(line(kCpus + "/cpufreq/" + policy + "/cpuinfo_max_freq"));
      khz = std::max(khz, most.value_or(0));
    }
    machine_.max_clock_ghz = static_cast<double>(khz) * 1e-6;
    if (khz > 0) return;
    machine_.max_clock_ghz = info.nominal_ghz > 0 ? info.nominal_ghz : info.clock_ghz;
    lacks(machine_.max_clock_ghz > 0
              ? "highest clock: no cpufreq here, the clock shown is " +
                    std::string(info.nominal_ghz > 0 ? "the nominal one" : "that of this moment")
              : "clock: neither cpufreq nor /proc/cpuinfo tells it");
  }

  void describe_memory() {
    const std::string memory = text("/proc/meminfo");
    machine_.memory_bytes = find_kibibytes(memory, "MemTotal");
    machine_.available_memory_bytes = available_memory(root_);
    if (machine_.memory_bytes == 0) lacks("memory: /proc/meminfo does not tell it");
  }

  void describe_limits() {
    if (const auto place = find_cgroup("cpu", root_)) machine_.cgroup_version = place->version;
    machine_.cpu_limit = cgroup_cpu_limit(root_);
    machine_.memory_limit_bytes = cgroup_memory_limit(root_);
    if (machine_.memory_bytes > 0 && machine_.memory_limit_bytes >= machine_.memory_bytes)
      machine_.memory_limit_bytes.reset();  // more than the machine has is not a limit
    const auto parent = find_quota_parent(root_);
    machine_.quota_settable = parent.has_value();
    if (!parent) lacks(parent.error().text);
  }

  /// Asks the driver's library, else nvidia-smi, else reads the driver's files.
  void find_nvidia() {
    const std::string driver = "/proc/driver/nvidia/";
    // WSL has /dev/dxg for the GPUs of Windows.
    if (!exists(driver + "version") && !exists("/dev/nvidiactl") && !exists("/dev/dxg")) return;
    machine_.accelerators = parse_nvidia_gpus(told_by_nvml());
    if (!machine_.accelerators.empty()) return;
    const auto output = output_of(
        {"nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"},
        kPatience);
    if (output) {
      machine_.accelerators = parse_nvidia_gpus(*output);
      return;
    }
    lacks("memory of NVIDIA GPUs: " + output.error().text);
    const std::string version = parse_nvidia_version(text(driver + "version"));
    for (const std::string& bus : list(driver + "gpus/")) {
      const std::string model = parse_nvidia_model(text(driver + "gpus/" + bus + "/information"));
      machine_.accelerators.push_back({"nvidia", model, version, 0, nvidia_cores(model)});
    }
  }

  /// Reads the files of the amdgpu driver.
  void find_amd() {
    const std::string folder = "/sys/class/drm/";
    for (const std::string& name : list(folder)) {
      const std::string device = folder + name + "/device";
      // Outputs of a card have names such as "card0-HDMI-A-1".
      const bool is_card = name.starts_with("card") && parse_integer(name.substr(4));
      if (!is_card || line(device + "/vendor") != "0x1002") continue;
      const auto memory = parse_integer(line(device + "/mem_info_vram_total"));
      if (!memory) continue;  // another driver has it
      std::string model = line(device + "/product_name");
      if (model.empty()) model = "AMD GPU, PCI device " + line(device + "/device");
      machine_.accelerators.push_back({"amd", model, line("/sys/module/amdgpu/version"), *memory});
    }
  }

  void describe_instruments() {
    if (const std::string problem = counter_problem(); !problem.empty())
      lacks("no hardware performance counters: perf_event_open says '" + problem + "'");
    const std::string energy = "/sys/class/powercap/intel-rapl:0/energy_uj";
    if (!exists(energy))
      lacks("no energy counter (RAPL): the kernel shows none");
    else if (!exists(energy, R_OK))
      lacks("no energy counter (RAPL): only root may read it");
  }

  const std::string& root_;
  MachineDescription machine_;
};

}  // namespace

MachineDescription describe_this_machine(const std::string& root) {
  return Discovery(root).describe();
}

std::vector<std::string> gpu_uuids_of_this_machine() {
  return parse_gpu_uuids(told_by_nvml());
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  constexpr int kMost = 8192;
  cpu_set_t* set = CPU_ALLOC(kMost);
  if (!set) return cpus;
  const std::size_t size = CPU_ALLOC_SIZE(kMost);
  CPU_ZERO_S(size, set);
  if (sched_getaffinity(0, size, set) == 0)
    for (int cpu = 0; cpu < kMost; ++cpu)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set)) cpus.push_back(cpu);
  CPU_FREE(set);
  return cpus;
}

}  // namespace lapcast

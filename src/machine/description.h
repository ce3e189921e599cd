#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"

namespace lapcast {

/// Says how a GPU is set up and connected; empty and 0 = not known.
struct GpuSetUp {
  std::int64_t power_limit_mw = 0;
  std::int64_t top_clock_mhz = 0;
  std::string ecc;           // "on", "off"
  std::string mig;           // "on" where the GPU is divided, "off"
  std::string pcie;          // "generation 5, 16 lanes"
  std::string compute_mode;  // "shared", "one process at a time", "prohibited"
  friend bool operator==(const GpuSetUp&, const GpuSetUp&) = default;
};

struct Accelerator {
  std::string vendor;  // "nvidia", "amd", "intel"
  std::string model;   // "NVIDIA H200"
  std::string driver;  // "550.54.15"; empty = not known
  std::int64_t memory_bytes = 0;
  std::string cores;                    // such as "132 SMs"; empty = not known
  std::string compute_capability = {};  // of an NVIDIA GPU: "9.0"; empty = not known
  std::int64_t cuda_cores = 0;          // of an NVIDIA GPU; 0 = not known
  std::string cuda = {};  // the newest CUDA that the driver runs: "12.4"; empty = not known
  std::optional<GpuSetUp> set_up = {};
  friend bool operator==(const Accelerator&, const Accelerator&) = default;
};

/// Describes a machine. Unknown texts are empty, unknown numbers 0 or absent, and `missing` says
/// what could not be found out and why.
struct MachineDescription {
  std::string host;
  std::string os;  // "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
  std::string cpu_model;
  std::string architecture;  // "x86_64"
  std::string isa;           // the widest vector extension: "AVX-512", "AVX2", "SSE4.2", "NEON" ...
  std::string hypervisor;    // empty = none seen
  std::string boot_id;       // a hash of the kernel's id of this boot; empty = not known
  int sockets = 0;
  int cores = 0;                  // physical
  int threads = 0;                // logical CPUs online
  std::vector<int> allowed_cpus;  // CPUs this process may use
  double max_clock_ghz = 0;
  std::int64_t l3_cache_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t available_memory_bytes = 0;
  int cgroup_version = 0;           // 1, 2, 0 = none
  bool quota_settable = false;      // a CPU quota can be set for a probe here
  std::optional<double> cpu_limit;  // CPUs allowed by the cgroups this process is in
  std::optional<std::int64_t> memory_limit_bytes;
  std::vector<Accelerator> accelerators;
  std::optional<std::vector<std::string>> allocators = {};  // that programs can preload, by path
  std::vector<std::string> missing;  // such as "no performance counters: perf_event_open refused"
  friend bool operator==(const MachineDescription&, const MachineDescription&) = default;
};

/// Returns whether both describe the same GPU, with the same set-up if both tell it.
inline bool is_same_gpu(Accelerator a, const Accelerator& b) {
  if (!a.set_up || !b.set_up) a.set_up = b.set_up;
  return a == b;
}

/// Returns whether both describe the same boot of one machine, under the same limits. Returns false
/// if that is not known, and for different containers, which have host names of their own and may
/// hold different software.
inline bool is_same_machine(const MachineDescription& a, const MachineDescription& b) {
  return !a.boot_id.empty() && a.boot_id == b.boot_id && a.host == b.host &&
         a.allowed_cpus == b.allowed_cpus && a.cpu_limit == b.cpu_limit &&
         a.memory_limit_bytes == b.memory_limit_bytes &&
         std::ranges::equal(a.accelerators, b.accelerators, is_same_gpu);
}

/// Holds what a machine says of itself when it is asked whether it can run probes.
struct MachineFacts {
  MachineDescription machine;
  std::string folder;                // lapcast's own folder on the machine
  std::int64_t disk_free_bytes = 0;  // of the file system that the folder is on
  std::int64_t disk_bytes = 0;
  std::string python;  // "3.11.2"; empty = no python3 on the PATH
  std::string torch;   // versions in that Python; empty = none
  std::string tensorflow;
  std::vector<std::string> programs;  // of those that may be needed, the ones on the PATH
  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

/// Adds to the facts how the machine can be reached and what it lacks.
struct MachineCheck {
  std::optional<Reason> unreachable;  // then nothing else is known
  MachineFacts facts;
  std::optional<Seconds> latency;  // of a round trip, the shortest of several; none = this machine
  std::optional<double> bytes_per_second;  // from this machine to the other one
  std::optional<Seconds> clock_offset;     // its clock minus ours, known to half the latency
  std::vector<std::string> lacking;        // for a probe, each with its fix
  /// Says why the facts are those of a cluster's login node; empty = they are those of a node, or
  /// the machine is not a cluster.
  std::string node_not_asked;
};

}  // namespace lapcast

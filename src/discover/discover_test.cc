#include "discover/discover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "discover/system_cgroup.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// Has a folder that stands for "/".
class Discover : public testing::Test {
 protected:
  Discover() {
    std::string pattern = (fs::temp_directory_path() / "lapcast-root-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~Discover() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  /// Writes two sockets of two cores with two threads each, as Linux counts them: thread t of core
  /// c is CPU c + 4 * t; a level 3 cache of 16 MiB per socket.
  void put_eight_cpus() {
    put("/sys/devices/system/cpu/online", "0-7\n");
    for (int cpu = 0; cpu < 8; ++cpu) {
      const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
      const int core = cpu % 4;
      const std::string socket = core < 2 ? "0-1,4-5\n" : "2-3,6-7\n";
      put(folder + "/topology/package_cpus_list", socket);
      put(folder + "/topology/core_cpus_list",
          std::to_string(core) + "," + std::to_string(core + 4) + "\n");
      put(folder + "/cache/index2/level", "2\n");
      put(folder + "/cache/index3/level", "3\n");
      put(folder + "/cache/index3/size", "16384K\n");
      put(folder + "/cache/index3/shared_cpu_list", socket);
    }
  }
  std::string root_;
};

TEST_F(Discover, CountsSocketsCoresThreadsAndCaches) {
  put_eight_cpus();
  put("/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "2600000\n");
  put("/sys/devices/system/cpu/cpufreq/policy4/cpuinfo_max_freq", "3700000\n");
  const MachineDescription machine = describe_this_machine(root_);
  EXPECT_EQ(machine.sockets, 2);
  EXPECT_EQ(machine.cores, 4);
  EXPECT_EQ(machine.threads, 8);
  EXPECT_EQ(machine.l3_cache_bytes, 2 * 16 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(machine.max_clock_ghz, 3.7);
}

TEST_F(Discover, ABootHasANumberThatDoesNotTellItsId) {
  EXPECT_EQ(describe_this_machine(root_).boot_id, "");
  put("/proc/sys/kernel/random/boot_id", "0f4c-a1\n");
  const std::string first = describe_this_machine(root_).boot_id;
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(first, describe_this_machine(root_).boot_id);
  put("/proc/sys/kernel/random/boot_id", "0f4c-a2\n");
  EXPECT_NE(first, describe_this_machine(root_).boot_id);
}

TEST_F(Discover, ReadsThePapersTableOfAnOldServer) {
  put_eight_cpus();
  put("/proc/cpuinfo", "model name : Intel(R) Xeon(R) CPU @ 2.30GHz\nflags : sse2 avx2\n");
  put("/proc/meminfo", "MemTotal: 1024 kB\nMemAvailable: 512 kB\n");
  put("/etc/os-release", "PRETTY_NAME=\"Test 1\"\n");
  const MachineDescription machine = describe_this_machine(root_);
  EXPECT_EQ(machine.cpu_model, "Intel(R) Xeon(R) CPU @ 2.30GHz");
  EXPECT_EQ(machine.isa, "AVX2");
  EXPECT_DOUBLE_EQ(machine.max_clock_ghz, 2.3);
  EXPECT_EQ(machine.memory_bytes, 1024 * 1024);
  EXPECT_EQ(machine.available_memory_bytes, 512 * 1024);
  EXPECT_THAT(machine.os, HasSubstr("Test 1, Linux "));
  EXPECT_EQ(machine.hypervisor, "");
}

TEST_F(Discover, FindsAllocatorsInTheFirstFolderOfLibraries) {
  EXPECT_FALSE(describe_this_machine(root_).allocators);
  put("/usr/lib64/libmimalloc.so.2", "");
  put("/usr/lib64/libjemalloc.so.2", "");
  EXPECT_EQ(
      describe_this_machine(root_).allocators,
      (std::vector<std::string>{"/usr/lib64/libjemalloc.so.2", "/usr/lib64/libmimalloc.so.2"}));
  put("/usr/lib/x86_64-linux-gnu/libc.so.6", "");
  EXPECT_FALSE(describe_this_machine(root_).allocators);
}

TEST_F(Discover, AnEmptySystemIsNoErrorButSaidToBeMissing) {
  const MachineDescription machine = describe_this_machine(root_);
  EXPECT_EQ(machine.cpu_model, "");
  EXPECT_EQ(machine.threads, 0);
  EXPECT_EQ(machine.cgroup_version, 0);
  EXPECT_FALSE(machine.quota_settable);
  EXPECT_TRUE(machine.accelerators.empty());
  EXPECT_THAT(machine.missing, Contains(HasSubstr("CPU model")));
  EXPECT_THAT(machine.missing, Contains(HasSubstr("no CPU quota can be set")));
  EXPECT_THAT(machine.missing, Contains(HasSubstr("RAPL")));
}

TEST_F(Discover, ThisMachineHasTheCpusThatTheProcessMayUse) {
  const MachineDescription machine = describe_this_machine();
  cpu_set_t set;
  ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(static_cast<int>(machine.allowed_cpus.size()), CPU_COUNT(&set));
  EXPECT_GT(machine.memory_bytes, 0);
}

TEST_F(Discover, TightestLimitOfAllCgroupsAboveCountsV2) {
  put("/proc/self/mountinfo", "41 31 0:38 / /cg rw - cgroup2 cgroup2 rw\n");
  put("/proc/self/cgroup", "0::/a/b\n");
  put("/cg/cgroup.controllers", "cpu memory\n");
  put("/cg/a/cpu.max", "50000 100000\n");
  put("/cg/a/b/cpu.max", "max 100000\n");
  put("/cg/a/b/memory.max", "4096\n");
  EXPECT_EQ(describe_this_machine(root_).cgroup_version, 2);
  EXPECT_EQ(cgroup_cpu_limit(root_), 0.5);
  EXPECT_EQ(cgroup_memory_limit(root_), 4096);
}

TEST_F(Discover, TightestLimitOfAllCgroupsAboveCountsV1) {
  put("/proc/self/mountinfo",
      "1 2 0:1 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
      "3 2 0:2 /box /cg/mem rw - cgroup cgroup rw,memory\n");
  put("/proc/self/cgroup", "2:cpu,cpuacct:/x\n3:memory:/box/y\n");
  put("/cg/cpu/x/cpu.cfs_quota_us", "25000\n");
  put("/cg/cpu/x/cpu.cfs_period_us", "100000\n");
  put("/cg/mem/y/memory.limit_in_bytes", "9223372036854771712\n");
  put("/cg/mem/memory.limit_in_bytes", "8192\n");
  EXPECT_EQ(describe_this_machine(root_).cgroup_version, 1);
  EXPECT_EQ(cgroup_cpu_limit(root_), 0.25);
  EXPECT_EQ(cgroup_memory_limit(root_), 8192);
}

/// Describes the machine below a folder with other values of PATH and LD_LIBRARY_PATH.
MachineDescription describe_with(const std::string& root, const std::string& path,
                                 const std::string& libraries) {
  const std::string before = ::getenv("PATH");
  ::setenv("PATH", path.c_str(), 1);
  ::setenv("LD_LIBRARY_PATH", libraries.c_str(), 1);
  MachineDescription machine = describe_this_machine(root);
  ::setenv("PATH", before.c_str(), 1);
  ::unsetenv("LD_LIBRARY_PATH");
  return machine;
}

TEST_F(Discover, NvidiaFilesWhenTheToolDoesNotAnswer) {
  put("/proc/driver/nvidia/version", "NVRM version: NVIDIA Kernel Module  535.1.2  x\n");
  put("/proc/driver/nvidia/gpus/0000:00:1e.0/information", "Model: \t Tesla T4\n");
  put("/libnvidia-ml.so.1", "");                                          // instead of a real one
  const MachineDescription machine = describe_with(root_, root_, root_);  // no nvidia-smi there
  EXPECT_THAT(machine.accelerators,
              ElementsAre(Accelerator{"nvidia", "Tesla T4", "535.1.2", 0, "40 SMs"}));
  EXPECT_THAT(machine.missing, Contains(HasSubstr("nvidia-smi cannot be started")));
}

TEST_F(Discover, AsksNvidiaSmiWhereTheLibraryDoesNotAnswer) {
  put("/dev/nvidiactl", "");
  put("/libnvidia-ml.so.1", "");
  put("/nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200, 550.1, 1024 MiB'\n");
  fs::permissions(root_ + "/nvidia-smi", fs::perms::owner_all);
  const MachineDescription machine = describe_with(root_, root_ + ":" + ::getenv("PATH"), root_);
  EXPECT_THAT(machine.accelerators,
              ElementsAre(Accelerator{"nvidia", "NVIDIA H200", "550.1", 1 << 30, "132 SMs"}));
  EXPECT_THAT(machine.missing, Not(Contains(HasSubstr("NVIDIA"))));
}

TEST_F(Discover, AsksTheDriversLibrary) {
  put("/dev/nvidiactl", "");
  const MachineDescription machine = describe_with(root_, root_, LAPCAST_FAKE_NVML);
  const Accelerator first{"nvidia",
                          "NVIDIA A100-SXM4-40GB",
                          "550.54.15",
                          8LL << 30,
                          "108 SMs",
                          "8.0",
                          6912,
                          "12.4",
                          GpuSetUp{400'000, 2100, "on", "off", "generation 4, 16 lanes", "shared"}};
  Accelerator second = first;  // 108 SMs of the data sheet times 64 cores
  second.memory_bytes = 16LL << 30;
  second.set_up = {.top_clock_mhz = 1410, .mig = "on", .compute_mode = "shared"};
  EXPECT_THAT(machine.accelerators, ElementsAre(first, second));
  EXPECT_THAT(machine.missing, Not(Contains(HasSubstr("NVIDIA"))));
}

TEST_F(Discover, FindsAmdGpusByTheirDriver) {
  put("/sys/class/drm/card0/device/vendor", "0x1002\n");
  put("/sys/class/drm/card0/device/device", "0x74a1\n");
  put("/sys/class/drm/card0/device/mem_info_vram_total", "206141652992\n");
  put("/sys/class/drm/card0-HDMI-A-1/device/vendor", "0x1002\n");
  put("/sys/class/drm/card1/device/vendor", "0x8086\n");
  EXPECT_THAT(describe_this_machine(root_).accelerators,
              ElementsAre(Accelerator{"amd", "AMD GPU, PCI device 0x74a1", "", 206141652992, ""}));
}

}  // namespace
}  // namespace lapcast

#include "probe/cpu_quota.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "discover/system_cgroup.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "posix/spawn.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

/// Has a folder that stands for "/", with a cgroup file system that does what it is told and no
/// more.
class FakeCgroups : public testing::Test {
 protected:
  FakeCgroups() {
    std::string pattern = (fs::temp_directory_path() / "lapcast-root-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~FakeCgroups() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string get(const std::string& path) const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put_cgroup_v2(const std::string& path, const std::string& enabled, bool is_root = false) {
    put(path + "/cgroup.controllers", "cpu memory\n");
    put(path + "/cgroup.subtree_control", enabled);
    put(path + "/cgroup.procs", "");
    if (!is_root) put(path + "/cgroup.type", "domain\n");
  }
  void mount_v2(const std::string& own) {
    put("/proc/self/mountinfo", "41 31 0:38 / /cg rw - cgroup2 cgroup2 rw\n");
    put("/proc/self/cgroup", "0::" + own + "\n");
  }
  void mount_v1(const std::string& own) {
    put("/proc/self/mountinfo", "41 31 0:38 / /cg rw - cgroup cgroup rw,cpu\n");
    put("/proc/self/cgroup", "1:cpu:" + own + "\n");
    put("/cg/cgroup.procs", "");
  }

  const CgroupKernel kernel_{
      [](const std::string& path) {
        if (::mkdir(path.c_str(), 0755) != 0) return errno;
        for (const char* file :
             {"cgroup.procs", "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.stat"}) {
          std::ofstream(path + "/" + file) << "";
        }
        return 0;
      },
      [](const std::string& path) { return fs::remove_all(path) > 0 ? 0 : ENOENT; }};
  std::string root_;
};

TEST_F(FakeCgroups, Version2WritesQuotaAndPeriodAndCleansUp) {
  mount_v2("/a");
  put_cgroup_v2("/cg", "cpu", true);
  put_cgroup_v2("/cg/a", "");
  std::string directory;
  {
    const auto quota = CpuQuota::create(0.5, root_, kernel_);
    ASSERT_TRUE(quota) << quota.error().text;
    directory = quota->directory();
    EXPECT_EQ(fs::path(directory).parent_path(), root_ + "/cg");
    EXPECT_THAT(fs::path(directory).filename().string(),
                testing::StartsWith("lapcast-" + std::to_string(::getpid()) + "-"));
    EXPECT_EQ(get(directory + "/cpu.max"), "5000 10000");
    const auto joined = spawn({.arguments = {"true"}, .cgroup_procs_fds = {*quota->procs_fd()}});
    ASSERT_TRUE(joined) << joined.error().text;
    wait_for(*joined);
    EXPECT_EQ(get(directory + "/cgroup.procs"), "0");
  }
  EXPECT_FALSE(fs::exists(directory));
}

TEST_F(FakeCgroups, Version2PrefersTheNearestWhereTheControllerIsOn) {
  mount_v2("/a/b");
  put_cgroup_v2("/cg", "cpu", true);
  put_cgroup_v2("/cg/a", "memory cpu");
  put_cgroup_v2("/cg/a/b", "");
  EXPECT_EQ(find_quota_parent(root_)->directory, root_ + "/cg/a");
  EXPECT_FALSE(find_quota_parent(root_)->enable_cpu);
}

TEST_F(FakeCgroups, Version2TurnsTheControllerOnWhereNoProcessIs) {
  mount_v2("/a/b");
  put_cgroup_v2("/cg", "", true);
  put_cgroup_v2("/cg/a", "");
  put_cgroup_v2("/cg/a/b", "");
  put("/cg/a/b/cgroup.procs", "4711\n");  // a cgroup with processes may not have controllers below
  const auto quota = CpuQuota::create(1.5, root_, kernel_);
  ASSERT_TRUE(quota);
  EXPECT_EQ(get(root_ + "/cg/a/cgroup.subtree_control"), "+cpu");
  EXPECT_EQ(get(root_ + "/cg/a/b/cgroup.subtree_control"), "");
  EXPECT_EQ(get(quota->directory() + "/cpu.max"), "15000 10000");
}

TEST_F(FakeCgroups, Version2TheRealRootMayHaveProcesses) {
  mount_v2("/");
  put_cgroup_v2("/cg", "", true);
  put("/cg/cgroup.procs", "1\n2\n");
  EXPECT_TRUE(find_quota_parent(root_)->enable_cpu);
}

TEST_F(FakeCgroups, Version2AContainersRootWithProcessesIsRefused) {
  mount_v2("/");
  put_cgroup_v2("/cg", "");
  put("/cg/cgroup.procs", "1\n2\n");
  const auto quota = CpuQuota::create(0.5, root_, kernel_);
  ASSERT_FALSE(quota);
  EXPECT_THAT(quota.error().text, HasSubstr("no CPU quota can be set"));
}

TEST_F(FakeCgroups, Version1WritesPeriodThenQuotaInItsOwnCgroup) {
  mount_v1("/x");
  put("/cg/x/cgroup.procs", "");
  const auto quota = CpuQuota::create(0.3, root_, kernel_);
  ASSERT_TRUE(quota);
  EXPECT_EQ(fs::path(quota->directory()).parent_path(), root_ + "/cg/x");
  EXPECT_EQ(get(quota->directory() + "/cpu.cfs_quota_us"), "3000");
  EXPECT_EQ(get(quota->directory() + "/cpu.cfs_period_us"), "10000");
}

TEST_F(FakeCgroups, ASmallQuotaGetsALongPeriod) {
  mount_v1("/");
  const auto quota = CpuQuota::create(0.03, root_, kernel_);  // 1 ms in 33.334 ms
  ASSERT_TRUE(quota);
  EXPECT_EQ(get(quota->directory() + "/cpu.cfs_period_us"), "33334");
  EXPECT_EQ(get(quota->directory() + "/cpu.cfs_quota_us"), "1000");
}

TEST_F(FakeCgroups, RefusesAmountsThatMakeNoSense) {
  mount_v1("/");
  for (const double cpus : {0.0, -1.0, 1e9, std::nan("")}) {
    EXPECT_FALSE(CpuQuota::create(cpus, root_, kernel_)) << cpus;
  }
}

TEST_F(FakeCgroups, NothingMountedIsAReason) {
  const auto quota = CpuQuota::create(0.5, root_, kernel_);
  ASSERT_FALSE(quota);
  EXPECT_THAT(quota.error().text, HasSubstr("no cgroup file system"));
}

TEST_F(FakeCgroups, NoticesThatTheQuotaWasTakenAway) {
  mount_v1("/");
  const auto quota = CpuQuota::create(0.5, root_, kernel_);
  ASSERT_TRUE(quota);
  EXPECT_TRUE(quota->check_unchanged());
  std::ofstream(quota->directory() + "/cpu.cfs_quota_us") << "-1";
  EXPECT_FALSE(quota->check_unchanged());
}

TEST_F(FakeCgroups, WhatIsReleasedMovesToOurOwnCgroup) {
  mount_v2("/a");
  put_cgroup_v2("/cg", "cpu", true);
  put_cgroup_v2("/cg/a", "");
  const auto quota = CpuQuota::create(0.5, root_, kernel_);
  ASSERT_TRUE(quota) << quota.error().text;
  std::ofstream(quota->directory() + "/cgroup.procs") << "1999999999";
  quota->release(root_);
  EXPECT_EQ(get(root_ + "/cg/a/cgroup.procs"), "1999999999");
  std::ofstream(quota->directory() + "/cgroup.procs") << "";
}

TEST_F(FakeCgroups, StaleOnesAreRemovedAndThoseInUseAreNot) {
  mount_v1("/x");
  put("/cg/x/cgroup.procs", "");
  const auto quota = CpuQuota::create(0.5, root_, kernel_);
  ASSERT_TRUE(quota);
  put("/cg/lapcast-1-1/cgroup.procs", "");
  put("/cg/x/lapcast-4000000-1/cgroup.procs", "");
  put("/cg/x/other-1-1/cgroup.procs", "");
  put("/cg/x/lapcast-cluster-1/cgroup.procs", "");
  EXPECT_EQ(CpuQuota::remove_stale(root_, kernel_), 2);
  EXPECT_TRUE(fs::exists(quota->directory()));
  EXPECT_TRUE(fs::exists(root_ + "/cg/x/other-1-1"));
  EXPECT_TRUE(fs::exists(root_ + "/cg/x/lapcast-cluster-1"));
  EXPECT_FALSE(fs::exists(root_ + "/cg/lapcast-1-1"));
}

TEST_F(FakeCgroups, OneThatIsMovedAwayCleansUpOnce) {
  mount_v1("/");
  CpuQuota kept;
  EXPECT_EQ(kept.procs_fd(), std::nullopt);
  {
    auto made = CpuQuota::create(0.5, root_, kernel_);
    ASSERT_TRUE(made);
    kept = std::move(*made);
  }
  EXPECT_TRUE(fs::exists(kept.directory()));
  const std::string first = kept.directory();
  kept = CpuQuota::create(0.5, root_, kernel_).value();
  EXPECT_FALSE(fs::exists(first));
}

/// Sets a quota with the kernel's own cgroups.
Result<CpuQuota> real_quota(double cpus) {
  return CpuQuota::create(cpus);
}

/// Starts a child that joins a cgroup and computes until it is killed.
pid_t start_busy_child(std::optional<int> procs_fd) {
  return spawn({.arguments = {"sh", "-c", "while :; do :; done"}, .cgroup_procs_fds = {*procs_fd}})
      .value_or(-1);
}

TEST(RealCgroup, HoldsABusyChildToItsQuota) {
  auto quota = real_quota(0.2);
  if (!quota) GTEST_SKIP() << quota.error().text;
  const std::string directory = quota->directory();
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start_busy_child(quota->procs_fd());
  ::usleep(400'000);
  EXPECT_THAT(processes_in(directory), testing::ElementsAre(child));
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  rusage used{};
  int status = 0;
  ASSERT_EQ(::wait4(child, &status, 0, &used), child);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  EXPECT_TRUE(WIFSIGNALED(status));
  // 20 % plus what one period may run over; the machine may have given less, but not nothing.
  EXPECT_LT(cpu / wall.count(), 0.35);
  EXPECT_GT(cpu / wall.count(), 0.005);
  const std::string stat = text_of_file(directory + "/cpu.stat");
  EXPECT_NE(find_field(stat, "nr_throttled", ' ').value_or("0"), "0");
  quota = CpuQuota();
  EXPECT_FALSE(fs::exists(directory));
}

TEST(RealCgroup, TheDestructorKillsWhatIsLeft) {
  pid_t child = -1;
  std::string directory;
  {
    const auto quota = real_quota(0.5);
    if (!quota) GTEST_SKIP() << quota.error().text;
    directory = quota->directory();
    child = start_busy_child(quota->procs_fd());
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_FALSE(fs::exists(directory));
}

TEST(RealCgroup, IsStaleOnceItsLapcastWasKilled) {
  if (const auto quota = real_quota(0.5); !quota) GTEST_SKIP() << quota.error().text;
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t lapcast = ::fork();
  if (lapcast == 0) {  // makes a cgroup, puts a program into it and is killed
    const auto quota = real_quota(0.5);
    const int program = start_busy_child(quota->procs_fd());
    const std::string line = quota->directory() + "\n";
    [[maybe_unused]] const auto written = ::write(ready[1], line.data(), line.size());
    ::waitpid(program, nullptr, 0);
    ::_exit(0);
  }
  char line[512] = {};
  ASSERT_GT(::read(ready[0], line, sizeof line - 1), 1);
  const std::string directory(line, std::strlen(line) - 1);
  CpuQuota::remove_stale();
  EXPECT_TRUE(fs::exists(directory));  // its lapcast lives
  ::kill(lapcast, SIGKILL);
  ::waitpid(lapcast, nullptr, 0);
  EXPECT_FALSE(processes_in(directory).empty());
  EXPECT_GE(CpuQuota::remove_stale(), 1);
  EXPECT_FALSE(fs::exists(directory));
  ::close(ready[0]);
  ::close(ready[1]);
}

/// Needs version 2, also without the cpu controller.
TEST(RealCgroup, Version2JoinsAndKills) {
  std::string parent;
  const std::string mountinfo = text_of_file("/proc/self/mountinfo");
  for (const CgroupMount& mount : parse_cgroup_mounts(mountinfo)) {
    if (mount.version == 2) parent = mount.mount_point;
  }
  if (parent.empty()) GTEST_SKIP() << "no cgroup version 2 is mounted";
  const auto group = Cgroup::create(parent);
  if (!group) GTEST_SKIP() << group.error().text;
  const pid_t child = start_busy_child((*group)->procs_fd());
  EXPECT_EQ((*group)->kill_all(), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

}  // namespace
}  // namespace lapcast

#include "probe/memory_bound.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "discover/system_cgroup.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

/// Has a folder that stands for "/", with control groups that do what they are told and no more.
class MemoryBoundTest : public FolderTest {
 protected:
  MemoryBoundTest() { put("/proc/meminfo", "MemTotal: 8000 kB\nMemAvailable: 4000 kB\n"); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root() + path).parent_path());
    std::ofstream(root() + path) << text;
  }
  std::string get(const std::string& name) const {
    for (const auto& entry : fs::directory_iterator(root() + "/cg"))
      if (entry.path().filename().string().starts_with("lapcast-")) {
        std::ifstream file(entry.path() / name);
        return {std::istreambuf_iterator<char>(file), {}};
      }
    return "no group";
  }
  void mount(int version) {
    put("/proc/self/mountinfo", version == 2 ? "41 31 0:38 / /cg rw - cgroup2 cgroup2 rw\n"
                                             : "41 31 0:38 / /cg rw - cgroup cgroup rw,memory\n");
    put("/proc/self/cgroup", version == 2 ? "0::/\n" : "1:memory:/\n");
    put("/cg/cgroup.controllers", "memory\n");
    put("/cg/cgroup.subtree_control", "memory\n");
    put("/cg/cgroup.procs", "");
  }
  std::string root() const { return folder_.string(); }

  const CgroupKernel kernel_{
      [](const std::string& path) {
        if (::mkdir(path.c_str(), 0755) != 0) return errno;
        for (const char* file : {"cgroup.procs", "memory.limit_in_bytes", "memory.oom_control",
                                 "memory.high", "memory.max", "memory.swap.max", "memory.stat"})
          std::ofstream(path + "/" + file) << "";
        return 0;
      },
      [](const std::string& path) { return fs::remove_all(path) > 0 ? 0 : ENOENT; }};
};

TEST_F(MemoryBoundTest, Version1StopsInsteadOfKilling) {
  mount(1);
  const MemoryBound bound = MemoryBound::of_available(0.5, root(), kernel_);
  EXPECT_EQ(bound.bytes(), 2000 * 1024);
  EXPECT_EQ(get("memory.limit_in_bytes"), "2048000");
  EXPECT_EQ(get("memory.oom_control"), "1");
  EXPECT_FALSE(bound.is_reached());
  for (const auto& entry : fs::directory_iterator(root() + "/cg"))
    if (entry.is_directory())
      std::ofstream(entry.path() / "memory.oom_control") << "oom_kill_disable 1\nunder_oom 1\n";
  EXPECT_TRUE(bound.is_reached());
  SpawnSpec spec;
  bound.add_to(spec);
  EXPECT_EQ(spec.cgroup_procs_fds.size(), 1u);
  EXPECT_FALSE(spec.most_data_bytes);
}

TEST_F(MemoryBoundTest, Version2SlowsDownBelowItsLimit) {
  mount(2);
  const MemoryBound bound = MemoryBound::of_available(0.5, root(), kernel_);
  EXPECT_EQ(get("memory.high"), "2048000");
  EXPECT_EQ(get("memory.max"), "2112000");
  EXPECT_EQ(get("memory.swap.max"), "0");
  EXPECT_FALSE(bound.is_reached());
  for (const auto& entry : fs::directory_iterator(root() + "/cg"))
    if (entry.is_directory())
      std::ofstream(entry.path() / "memory.stat") << "anon 2040000\nfile 1\n";
  EXPECT_TRUE(bound.is_reached());
}

TEST_F(MemoryBoundTest, WithoutAGroupEachProcessHasALimit) {
  const MemoryBound bound = MemoryBound::of_available(0.5, root(), kernel_);
  EXPECT_FALSE(bound.has_cgroup());
  SpawnSpec spec;
  bound.add_to(spec);
  EXPECT_EQ(spec.most_data_bytes, 2048000);
  SpawnSpec other;
  MemoryBound().add_to(other);
  EXPECT_FALSE(other.most_data_bytes);
}

// Of the limit of 3000 kB the processes hold 1000 kB, and 500 kB of files that can be dropped.
TEST_F(MemoryBoundTest, WhatAGroupHasLeftCounts) {
  mount(1);
  EXPECT_EQ(available_memory(root()), 4000 * 1024);
  put("/cg/memory.limit_in_bytes", "3072000\n");
  put("/cg/memory.usage_in_bytes", "1536000\n");
  put("/cg/memory.stat", "total_active_file 256000\ntotal_inactive_file 256000\n");
  EXPECT_EQ(available_memory(root()), 2048000);
}

TEST_F(MemoryBoundTest, KillsAreThoseOfTheKernel) {
  EXPECT_EQ(kills_by_kernel(root()), 0);
  put("/proc/vmstat", "pswpin 1\noom_kill 7\n");
  EXPECT_EQ(kills_by_kernel(root()), 7);
}

}  // namespace
}  // namespace lapcast

#include "machine/cgroup_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::ElementsAre;

TEST(CgroupMounts, ReadsBothVersions) {
  const auto mounts = parse_cgroup_mounts(
      "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
      "41 31 0:38 / /sys/fs/cgroup/my\\040group rw - cgroup2 cgroup2 rw,nsdelegate\n");
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[0].version, 1);
  EXPECT_THAT(mounts[0].controllers, ElementsAre("rw", "cpu", "cpuacct"));
  EXPECT_EQ(mounts[0].mount_point, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(mounts[1].version, 2);
  EXPECT_EQ(mounts[1].mount_point, "/sys/fs/cgroup/my group");
}

TEST(CgroupMounts, SkipsDamagedLines) {
  EXPECT_TRUE(parse_cgroup_mounts("").empty());
  EXPECT_TRUE(parse_cgroup_mounts(" - cgroup\n1 2 - cgroup cgroup rw\n").empty());
}

TEST(CgroupPath, FindsTheControllersHierarchy) {
  constexpr const char* kText = "9:name=systemd:/s\n4:cpu,cpuacct:/a:b\n1:cpuset:/c\n0::/two\n";
  EXPECT_EQ(parse_cgroup_path(kText, "cpu"), "/a:b");
  EXPECT_EQ(parse_cgroup_path(kText, "cpuset"), "/c");
  EXPECT_EQ(parse_cgroup_path(kText, ""), "/two");
  EXPECT_EQ(parse_cgroup_path(kText, "memory"), std::nullopt);
  EXPECT_EQ(parse_cgroup_path("", "cpu"), std::nullopt);
}

TEST(CgroupDirectory, IsThePathBelowTheMount) {
  const CgroupMount whole{1, {"cpu"}, "/", "/sys/fs/cgroup/cpu"};
  EXPECT_EQ(cgroup_directory(whole, "/"), "/sys/fs/cgroup/cpu");
  EXPECT_EQ(cgroup_directory(whole, "/a/b"), "/sys/fs/cgroup/cpu/a/b");
}

TEST(CgroupDirectory, OfAContainerStartsAtItsOwnRoot) {
  const CgroupMount part{1, {"cpu"}, "/docker/1f", "/cg"};
  EXPECT_EQ(cgroup_directory(part, "/docker/1f"), "/cg");
  EXPECT_EQ(cgroup_directory(part, "/docker/1f/x"), "/cg/x");
  EXPECT_EQ(cgroup_directory(part, "/docker/1f2"), "/cg");  // another cgroup: not to be seen here
  EXPECT_EQ(cgroup_directory({2, {}, "/", "/cg"}, "/../x"), "/cg");
}

TEST(CgroupLimits, OfTheCpu) {
  EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max(""), std::nullopt);
  EXPECT_EQ(parse_cpu_max("1 0"), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("5000\n", "10000\n"), 0.5);
}

TEST(CgroupLimits, OfMemory) {
  EXPECT_EQ(parse_memory_limit("max\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("1073741824\n"), 1073741824);
  EXPECT_EQ(parse_memory_limit(""), std::nullopt);
}

TEST(CpuStat, ReadsBothVersions) {
  EXPECT_EQ(parse_cpu_stat("nr_periods 10\nnr_throttled 4\nthrottled_time 5000\n"),
            (Throttling{10, 4, 5000}));
  EXPECT_EQ(parse_cpu_stat("usage_usec 9\nnr_periods 10\nnr_throttled 4\nthrottled_usec 5\n"),
            (Throttling{10, 4, 5000}));
  EXPECT_EQ(parse_cpu_stat(""), Throttling{});
}

}  // namespace
}  // namespace lapcast

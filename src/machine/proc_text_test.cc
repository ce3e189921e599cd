#include "machine/proc_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::ElementsAre;

TEST(ProcText, Trims) {
  EXPECT_EQ(trimmed(" \t a b\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(ProcText, SplitsEmptyPartsToo) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(ProcText, ReadsWholeNumbersOnly) {
  EXPECT_EQ(parse_integer(" -1\n"), -1);
  EXPECT_EQ(parse_integer("12x"), std::nullopt);
  EXPECT_EQ(parse_integer(""), std::nullopt);
  EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
}

TEST(ProcText, FindsTheFirstFieldOfThatName) {
  EXPECT_EQ(find_field("ab : 1\nb:2\nb: 3\n", "b", ':'), "2");
  EXPECT_EQ(find_field("ab: 1\n", "b", ':'), std::nullopt);
}

TEST(ProcText, ReadsMemory) {
  constexpr const char* kText =
      "MemTotal:        8145552 kB\nMemFree:          101000 kB\nMemAvailable:    6000000 kB\n";
  EXPECT_EQ(find_kibibytes(kText, "MemTotal"), 8145552LL * 1024);
  EXPECT_EQ(find_kibibytes(kText, "MemAvailable"), 6000000LL * 1024);
}

TEST(ProcText, MemoryThatIsNotThereIsZero) {
  EXPECT_EQ(find_kibibytes("", "MemTotal"), 0);
  EXPECT_EQ(find_kibibytes("MemTotal: many kB\n", "MemTotal"), 0);
  EXPECT_EQ(find_kibibytes("MemTotal: 9223372036854775807 kB\n", "MemTotal"), 0);
}

TEST(ProcText, ReadsTheNameOfTheSystem) {
  EXPECT_EQ(parse_os_release("NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"),
            "Debian GNU/Linux 12");
  EXPECT_EQ(parse_os_release("NAME=Alpine\n"), "Alpine");
  EXPECT_EQ(parse_os_release("PRETTY_NAME='A \\\"B\\\"'\n"), "A \"B\"");
  EXPECT_EQ(parse_os_release("ID=x\n"), "");
}

TEST(ProcText, ReadsCacheSizes) {
  EXPECT_EQ(parse_cache_size("32768K\n"), 32768 * 1024);
  EXPECT_EQ(parse_cache_size("32M"), 32 * 1024 * 1024);
  EXPECT_EQ(parse_cache_size("32"), 0);
  EXPECT_EQ(parse_cache_size("K"), 0);
  EXPECT_EQ(parse_cache_size(""), 0);
}

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
  EXPECT_EQ(parse_cpu_max("-1 100000"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("5000 10000"), 0.5);
}

TEST(CgroupLimits, OfMemory) {
  EXPECT_EQ(parse_memory_limit("max\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("1073741824\n"), 1073741824);
  EXPECT_EQ(parse_memory_limit(""), std::nullopt);
}

}  // namespace
}  // namespace lapcast

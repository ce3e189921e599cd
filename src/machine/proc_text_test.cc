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

TEST(CpuTicks, OfSomeCpusOrAll) {
  // user nice system idle iowait irq softirq steal guest guest_nice
  const std::string stat =
      "cpu  30 0 3 999 9 0 0 7 0 0\ncpu0 10 1 2 500 5 3 4 6 9 9\ncpu1 20 0 1 499 4 0 0 1 0 0\n"
      "intr 1 2 3\n";
  const auto first = parse_cpu_ticks(stat, {0});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->busy, 10 + 1 + 2 + 3 + 4);
  EXPECT_EQ(first->steal, 6);
  const auto both = parse_cpu_ticks(stat, {});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->busy, 20 + 21);
  EXPECT_EQ(both->steal, 7);
  EXPECT_FALSE(parse_cpu_ticks(stat, {0, 2}));
  EXPECT_FALSE(parse_cpu_ticks("", {}));
  EXPECT_FALSE(parse_cpu_ticks("cpu0 x\n", {0}));
  EXPECT_TRUE(parse_cpu_ticks("cpu0 1 2 3 4\n", {0}));  // kernels before 2.6.11 have no steal
}

TEST(Schedstat, HasTimesInNanoseconds) {
  const auto times = parse_schedstat("123456789 4567 89\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->run_ns, 123456789);
  EXPECT_EQ(times->delay_ns, 4567);
  EXPECT_FALSE(parse_schedstat(""));
  EXPECT_FALSE(parse_schedstat("12"));
  EXPECT_FALSE(parse_schedstat("12 x 3"));
  EXPECT_FALSE(parse_schedstat("12 -3 3"));
}

TEST(Pressure, CountsSomeStalls) {
  EXPECT_EQ(parse_pressure("some avg10=0.00 avg60=1.50 avg300=0.02 total=81734\n"
                           "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"),
            81734);
  EXPECT_FALSE(parse_pressure(""));
  EXPECT_FALSE(parse_pressure("full avg10=0.00 total=5\n"));
}

TEST(Throttling, OfBothVersions) {
  EXPECT_EQ(parse_throttled_ns("nr_periods 3\nnr_throttled 1\nthrottled_usec 20\n"), 20'000);
  EXPECT_EQ(parse_throttled_ns("nr_periods 3\nnr_throttled 1\nthrottled_time 20\n"), 20);
  EXPECT_FALSE(parse_throttled_ns("usage_usec 3\n"));
  EXPECT_FALSE(parse_throttled_ns("throttled_usec x\n"));
}

}  // namespace
}  // namespace lapcast

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
  const MemoryInfo info = parse_meminfo(
      "MemTotal:        8145552 kB\nMemFree:          101000 kB\nMemAvailable:    6000000 kB\n");
  EXPECT_EQ(info.total_bytes, 8145552LL * 1024);
  EXPECT_EQ(info.available_bytes, 6000000LL * 1024);
}

TEST(ProcText, MemoryThatIsNotThereIsZero) {
  EXPECT_EQ(parse_meminfo("").total_bytes, 0);
  EXPECT_EQ(parse_meminfo("MemTotal: many kB\n").total_bytes, 0);
  EXPECT_EQ(parse_meminfo("MemTotal: 9223372036854775807 kB\n").total_bytes, 0);
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

}  // namespace
}  // namespace lapcast

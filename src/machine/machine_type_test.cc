#include "machine/machine_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CpuList, ReadsNumbersAndRanges) {
  EXPECT_THAT(parse_cpu_list("0"), ElementsAre(0));
  EXPECT_THAT(parse_cpu_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_cpu_list("8,0-1"), ElementsAre(0, 1, 8));
  EXPECT_THAT(parse_cpu_list("8191"), ElementsAre(8191));
}

TEST(CpuList, RefusesWhatIsNotAList) {
  for (const char* text : {"", ",", "0,", "a", "0-", "-1", "3-1", "0 1", "0,0", "0-2,1", "1.5",
                           "0-1-2", "8192", "0-99999999999999999999", "0--1", "+1"}) {
    EXPECT_THROW(parse_cpu_list(text), Error) << text;
  }
}

TEST(CpuList, ErrorQuotesTheText) {
  try {
    parse_cpu_list("3-1");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("'3-1': a range runs backwards"));
  }
}

TEST(CpuList, WritesTheShortestForm) {
  EXPECT_EQ(format_cpu_list({}), "");
  EXPECT_EQ(format_cpu_list({5}), "5");
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(format_cpu_list({1, 3, 5, 6}), "1,3,5-6");
}

TEST(CpuList, WritingAndReadingGivesTheSameSet) {
  for (unsigned bits = 1; bits < 256; ++bits) {  // every set of CPUs 0..7
    std::vector<int> cpus;
    for (int cpu = 0; cpu < 8; ++cpu) {
      if (bits >> cpu & 1u) cpus.push_back(cpu);
    }
    EXPECT_EQ(parse_cpu_list(format_cpu_list(cpus)), cpus);
  }
}

}  // namespace
}  // namespace lapcast

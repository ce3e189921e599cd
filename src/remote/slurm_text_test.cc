#include "remote/slurm_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(SlurmRows, AreSplitAtTheSeparatorOnly) {
  const auto rows = slurm_rows(
      "1\x1f"
      "a|b, c\x1f\n\n2\x1f\x1fx\n",
      3);
  ASSERT_TRUE(rows);
  EXPECT_THAT(*rows, ElementsAre(ElementsAre("1", "a|b, c", ""), ElementsAre("2", "", "x")));
  EXPECT_EQ(slurm_format({"%i", "%T"}), "%i\x1f%T");
}

TEST(SlurmRows, WithOtherFieldsAreRefused) {
  EXPECT_THAT(slurm_rows("a\x1f"
                         "b\n",
                         3)
                  .error()
                  .text,
              HasSubstr("2 fields instead of 3"));
  EXPECT_THAT(slurm_rows("error: hello\n", 2).error().text, HasSubstr("1 fields instead of 2"));
  EXPECT_FALSE(slurm_rows(std::string(5 << 20, 'x'), 1));
  EXPECT_TRUE(slurm_rows("", 7)->empty());
}

TEST(SlurmValue, KnowsTheWordsForNothing) {
  EXPECT_EQ(slurm_value(" gpu:1 "), "gpu:1");
  for (const char* nothing : {"", "(null)", "N/A", "None", "none"})
    EXPECT_EQ(slurm_value(nothing), "");
}

TEST(SlurmTime, IsSecondsOfUtc) {
  EXPECT_EQ(slurm_time("1970-01-02T00:01:02"), 86'462);
  EXPECT_EQ(slurm_time("2026-11-22T05:49:31"), 1'795'326'571);
  for (const char* wrong :
       {"", "N/A", "Unknown", "2026-13-01T00:00:00", "2026-02-30T00:00:00", "2026-11-22",
        "2026-11-22T25:00:00", "2026-11-22T05:49", "99999999999-1-1T0:0:0", "2026-11--2T05:49:31"})
    EXPECT_EQ(slurm_time(wrong), std::nullopt) << wrong;
}

TEST(SlurmDuration, HasDaysHoursMinutesSeconds) {
  EXPECT_EQ(slurm_duration_ns("10:00"), 600 * kSecond);
  EXPECT_EQ(slurm_duration_ns("30"), 1800 * kSecond);
  EXPECT_EQ(slurm_duration_ns("1:00:00"), 3600 * kSecond);
  EXPECT_EQ(slurm_duration_ns("2-12:00:01"), (2 * 86'400 + 12 * 3600 + 1) * kSecond);
  EXPECT_EQ(slurm_duration_ns("1-12"), (86'400 + 12 * 3600) * kSecond);
  EXPECT_EQ(slurm_duration_ns("UNLIMITED"), 0);
  EXPECT_EQ(slurm_duration_ns("infinite"), 0);
  for (const char* wrong : {"", "N/A", "1:2:3:4", "-5", "x", "99999999-00:00:00", "NOT_SET"})
    EXPECT_EQ(slurm_duration_ns(wrong), std::nullopt) << wrong;
}

TEST(SlurmDuration, IsWrittenAsSlurmReadsIt) {
  EXPECT_EQ(slurm_duration_text(90 * kSecond), "0:01:30");
  EXPECT_EQ(slurm_duration_text(1), "0:00:01");
  EXPECT_EQ(slurm_duration_text(100 * 3600 * kSecond), "100:00:00");
}

}  // namespace
}  // namespace lapcast

#include "extrapolate/length_line.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

constexpr std::int64_t kMib = 1 << 20;

LengthLine line_of(const std::vector<MemoryPeak>& peaks) {
  const auto line = LengthLine::through(peaks);
  EXPECT_TRUE(line);
  return line.value();
}

TEST(LengthLineTest, TwoLengthsGiveALineAndExcludeNoBend) {
  // 100 MiB and 1 MiB a token: at 1000 it is 1100 MiB if straight. If all that grows did so with
  // the square, (400^2 - 200^2) c = 200 MiB, and 300 + (1000^2 - 200^2) / 600 = 1900 MiB.
  const LengthLine line = line_of({{200, 300 * kMib}, {400, 500 * kMib}});
  EXPECT_FALSE(line.bends());
  const Interval<double> at = line.at(1000);
  EXPECT_NEAR(at.mid / kMib, 1100, 1);
  EXPECT_GT(at.high / kMib, 1900);
  EXPECT_LT(at.high / kMib, 2200);
  EXPECT_LT(at.low / kMib, 1100);
}

TEST(LengthLineTest, ThreeLengthsOnALineExcludeMostBends) {
  const LengthLine line = line_of({{100, 200 * kMib}, {400, 500 * kMib}, {700, 800 * kMib}});
  EXPECT_FALSE(line.bends());
  EXPECT_NEAR(line.at(1000).mid / kMib, 1100, 1);
  EXPECT_LT(line.at(1000).high / kMib, 1300);
}

TEST(LengthLineTest, ThreeLengthsMayShowThatItBends) {
  // 100 MiB + 0.001 MiB L^2.
  const LengthLine line = line_of({{200, 140 * kMib}, {400, 260 * kMib}, {600, 460 * kMib}});
  EXPECT_TRUE(line.bends());
  const Interval<double> at = line.at(1200);
  EXPECT_NEAR(at.mid / kMib, 1540, 15);
  EXPECT_LT(at.low / kMib, 1540);
  EXPECT_GT(at.high / kMib, 1540);
}

TEST(LengthLineTest, OneLengthIsNoLine) {
  const std::vector<MemoryPeak> one{{200, kMib}, {200, 2 * kMib}};
  EXPECT_EQ(LengthLine::through(one).error().text,
            "only sequences of length 200 were seen; a line needs two lengths");
  EXPECT_FALSE(LengthLine::through({}));
}

SequencesSeen seen() {
  return {{{200, 300 * kMib, 0}, {412, 512 * kMib, 0}}, 1024, "tokenizer.model_max_length"};
}

std::vector<SequenceNeed> needs_in(std::int64_t mib, std::int64_t most = 0) {
  const MeteredMemory memory{.peak_bytes = 512 * kMib, .memory_bytes = mib * kMib};
  return sequence_needs(seen(), {&memory, 1}, most);
}

TEST(SequenceNeedTest, SaysWhetherTheLongestSequenceFits) {
  const auto needs = needs_in(1500);  // straight: 1124 MiB; bent: up to 2000 MiB
  ASSERT_EQ(needs.size(), 1U);
  EXPECT_NEAR(needs[0].needed_bytes.mid / kMib, 1124, 1);
  EXPECT_EQ(needs[0].in_words(),
            "fits at the lengths seen (up to 412), not surely at 1024 "
            "(tokenizer.model_max_length)");
  const auto warnings = sequence_warnings(needs);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("main memory fits at the lengths seen")) << warnings[0];
  EXPECT_NE(warnings[0].find("would take 1.1 GiB ("), std::string::npos) << warnings[0];
  EXPECT_EQ(needs_in(1000)[0].in_words(),
            "fits at the lengths seen (up to 412), probably not at 1024 "
            "(tokenizer.model_max_length)");
}

TEST(SequenceNeedTest, WhatSurelyFitsWarnsOfNothing) {
  EXPECT_EQ(needs_in(8000)[0].in_words(),
            "fits at every length up to 1024 (tokenizer.model_max_length)");
  EXPECT_TRUE(sequence_warnings(needs_in(8000)).empty());
  EXPECT_TRUE(sequence_warnings(needs_in(1000, 412)).empty());  // that length was seen
  EXPECT_EQ(needs_in(400)[0].in_words(), "does not fit at the lengths seen (up to 412)");
  EXPECT_EQ(needs_in(400, 300)[0].in_words(), "does not surely fit at 300");
  EXPECT_EQ(needs_in(8000, 600)[0].in_words(), "fits at every length up to 600");
}

}  // namespace
}  // namespace lapcast

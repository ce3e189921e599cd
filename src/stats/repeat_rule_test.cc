#include "stats/repeat_rule.h"

#include <gtest/gtest.h>

#include <vector>

namespace lapcast {
namespace {

using Values = std::vector<double>;

TEST(RepeatRule, WantsAtLeastSoManyRuns) {
  EXPECT_EQ(judge_repeats(Values{}, {.at_least = 3}), Repeats::more);
  EXPECT_EQ(judge_repeats(Values{1, 1}, {.at_least = 3}), Repeats::more);
  EXPECT_EQ(judge_repeats(Values{1, 1, 1}, {.at_least = 3}), Repeats::enough);
}

TEST(RepeatRule, OnceIsOnce) {
  EXPECT_EQ(judge_repeats(Values{}, {.at_least = 1}), Repeats::more);
  EXPECT_EQ(judge_repeats(Values{5}, {.at_least = 1}), Repeats::enough);
  EXPECT_EQ(RepeatRule{.at_least = 1}.at_most(), 1u);
}

// 9, 10, 11: standard error 1/sqrt(3) = 0.57735, t(2) = 4.302653, half-width 2.4841: 24.8 %.
TEST(RepeatRule, GoesOnUntilTheMeanIsKnown) {
  EXPECT_EQ(judge_repeats(Values{9, 10, 11}, {.at_least = 3}), Repeats::more);
  EXPECT_EQ(judge_repeats(Values{9, 10, 11}, {.at_least = 3, .precision = 0.25}), Repeats::enough);
  EXPECT_EQ(judge_repeats(Values{9, 10, 11}, {.at_least = 3, .precision = 0.248}), Repeats::more);
}

TEST(RepeatRule, EndsAtThreeTimesAsMany) {
  const Values wild{1, 9, 1, 9, 1, 9};
  EXPECT_EQ(judge_repeats(wild, {.at_least = 2}), Repeats::not_precise);
  EXPECT_EQ(judge_repeats(std::span(wild).first(5), {.at_least = 2}), Repeats::more);
}

// (24.8 % / 10 %)^2 = 6.17 times as many runs as 3: 19, but 9 at most.
TEST(RepeatRule, ExpectsAsManyRunsAsTheWidthAsksFor) {
  EXPECT_EQ(expected_runs(Values{}, {.at_least = 4}), 4u);
  EXPECT_EQ(expected_runs(Values{9, 10, 11}, {.at_least = 3, .precision = 0.1}), 9u);
  EXPECT_EQ(expected_runs(Values{9, 10, 11}, {.at_least = 3, .precision = 0.2}), 5u);
  EXPECT_EQ(expected_runs(Values{9, 10, 11}, {.at_least = 3, .precision = 0.3}), 3u);
}

}  // namespace
}  // namespace lapcast

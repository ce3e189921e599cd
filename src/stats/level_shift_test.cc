#include "stats/level_shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/series_test.h"

namespace lapcast {
namespace {

using Values = std::vector<double>;

TEST(LevelShift, NoneWhereThereIsNothingToSplit) {
  EXPECT_FALSE(strongest_level_shift(Values{}, 5));
  EXPECT_FALSE(strongest_level_shift(Values{1}, 5));
  EXPECT_FALSE(strongest_level_shift(Values{1, 2, 3, 4, 5}, 5));
  EXPECT_FALSE(strongest_level_shift(Values(20, 1.0), 5));
}

// Levels 2 +- 0.1 (4 values) and 1 +- 0.1 (8 values), alternating: the residuals are +-0.1, their
// variance 12 * 0.01 / 10 = 0.012; alternation inflates nothing. Error sqrt(0.012 (1/4 + 1/8)) =
// 0.067082, score 1 / 0.067082 = 14.907.
TEST(LevelShift, ByHand) {
  Values values;
  for (int i = 0; i < 12; ++i) values.push_back((i < 4 ? 2 : 1) + (i % 2 ? 0.1 : -0.1));
  const auto shift = strongest_level_shift(values, 5);
  ASSERT_TRUE(shift);
  EXPECT_EQ(shift->at, 4u);
  EXPECT_DOUBLE_EQ(shift->before, 2);
  EXPECT_DOUBLE_EQ(shift->after, 1);
  EXPECT_NEAR(shift->score, 14.907, 0.001);
}

TEST(LevelShift, WithoutNoiseIsCertain) {
  const auto shift = strongest_level_shift(Values{3, 3, 1, 1, 1, 1, 1}, 5);
  ASSERT_TRUE(shift);
  EXPECT_TRUE(std::isinf(shift->score) || shift->score > 1e6);
}

TEST(LevelShift, LeavesATail) {
  Values values(20, 1.0);
  values[18] = values[19] = 9;
  EXPECT_LE(strongest_level_shift(values, 5)->at, 15u);
}

}  // namespace
}  // namespace lapcast

#include "data/spearman.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast::workloads {
namespace {

TEST(Spearman, EqualValuesShareTheMeanOfTheirRanks) {
  EXPECT_EQ(mean_ranks({20, 10, 20, 40}), (std::vector<double>{2.5, 1, 2.5, 4}));
}

// Ranks 1..5 against 2 1 4 3 5: differences -1 1 -1 1 0, so 1 - 6 x 4 / (5 x 24) = 0.8.
TEST(Spearman, FollowsFromTheDifferencesOfRanks) {
  EXPECT_NEAR(spearman({1, 2, 3, 4, 5}, {2, 1, 400, 3, 500}), 0.8, 1e-12);
  EXPECT_NEAR(spearman({1, 2, 3, 4, 5}, {-2, -1, -400, -3, -500}), -0.8, 1e-12);
}

// Ranks 1.5 1.5 3 4 and 1 2 3 4, mean 2.5: products 1.5 + 0.5 + 0.25 + 2.25 = 4.5, squares
// 1 + 1 + 0.25 + 2.25 = 4.5 and 5, so 4.5 / sqrt(22.5) = 0.948683.
TEST(Spearman, ReckonsWithTies) {
  EXPECT_NEAR(spearman({7, 7, 8, 9}, {1, 2, 3, 4}), 4.5 / std::sqrt(22.5), 1e-12);
}

TEST(Spearman, IsNotANumberWhereNothingVaries) {
  EXPECT_TRUE(std::isnan(spearman({1, 1, 1}, {1, 2, 3})));
  EXPECT_TRUE(std::isnan(spearman({1}, {1})));
  EXPECT_TRUE(std::isnan(spearman({}, {})));
}

}  // namespace
}  // namespace lapcast::workloads

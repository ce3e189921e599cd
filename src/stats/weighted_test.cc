#include "stats/weighted.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

TEST(WeightedValues, TheQuantileIsWhereTheWeightIsReached) {
  WeightedValues values;
  values.add(3, 1);
  values.add(1, 2);
  values.add(2, 5);  // sorted: 1 (2), 2 (7), 3 (8)
  EXPECT_EQ(values.weight(), 8);
  EXPECT_EQ(values.quantile(0), 1);
  EXPECT_EQ(values.quantile(0.25), 1);  // 2 of 8
  EXPECT_EQ(values.quantile(0.26), 2);
  EXPECT_EQ(values.quantile(0.875), 2);  // 7 of 8
  EXPECT_EQ(values.quantile(0.9), 3);
  EXPECT_EQ(values.quantile(1), 3);
}

TEST(WeightedValues, OneThatIsAddedLaterCounts) {
  WeightedValues values;
  values.add(5, 1);
  EXPECT_EQ(values.quantile(0.5), 5);
  values.add(4, 1);
  EXPECT_EQ(values.quantile(0.5), 4);
}

TEST(WeightedValues, WithoutWeightThereIsNone) {
  WeightedValues values;
  values.add(7, 0);
  values.add(7, -1);
  EXPECT_EQ(values.weight(), 0);
  EXPECT_TRUE(std::isnan(values.quantile(0.5)));
}

}  // namespace
}  // namespace lapcast

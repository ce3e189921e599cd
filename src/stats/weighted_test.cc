#include "stats/weighted.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

TEST(WeightedValues, AnInfiniteValueIsOneOfThem) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  WeightedValues values;
  values.add(30, 0.2);
  values.add(10, 0.5);
  values.add(20, 0.1);
  values.add(kInfinity, 0.2);
  EXPECT_EQ(values.quantile(0.75), 30);
  EXPECT_EQ(values.quantile(0.9), kInfinity);
  EXPECT_DOUBLE_EQ(values.share_up_to(20), 0.6);
  EXPECT_DOUBLE_EQ(values.share_up_to(1e300), 0.8);
}

TEST(WeightedValues, AMixtureKeepsItsShares) {
  WeightedValues early, late, mixed;
  early.add(1, 1);
  late.add(9, 1);
  mixed.add(early, 0.25);
  mixed.add(late, 0.75);
  EXPECT_DOUBLE_EQ(mixed.weight(), 1);
  EXPECT_DOUBLE_EQ(mixed.share_up_to(5), 0.25);
  EXPECT_EQ(mixed.quantile(0.5), 9);
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

#include "stats/ratio.h"

#include <gtest/gtest.h>

#include <vector>

#include "stats/distributions.h"
#include "stats/welch.h"

namespace lapcast {
namespace {

using Values = std::vector<double>;

TEST(RatioOfMeans, NeedsTwoValuesEachAboveZero) {
  EXPECT_FALSE(ratio_of_means(Values{}, Values{1, 2}));
  EXPECT_FALSE(ratio_of_means(Values{1}, Values{1, 2}));
  EXPECT_FALSE(ratio_of_means(Values{1, 2}, Values{-1, -2}));
  EXPECT_FALSE(ratio_of_means(Values{1, 2}, Values{0.1, 100}));  // b cannot be told from 0
}

TEST(RatioOfMeans, OfValuesThatDoNotVaryIsExact) {
  EXPECT_EQ(ratio_of_means(Values{6, 6}, Values{4, 4}), Interval<double>::exactly(1.5));
}

// a = 9, 11: mean 10, squared error 2/2 = 1. b = 19, 21: mean 20, squared error 1. df = 2, t(0.975)
// = 4.302653, t^2 = 18.51282. Parabola: 381.48718 r^2 - 400 r + 81.48718 = 0: r = (200 -+
// sqrt(40000 - 31086.32)) / 381.48718 = (200 -+ 94.4123) / 381.48718.
TEST(RatioOfMeans, ByHand) {
  const auto ratio = ratio_of_means(Values{9, 11}, Values{19, 21});
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->mid, 0.5);
  EXPECT_NEAR(ratio->low, 0.276779, 1e-5);
  EXPECT_NEAR(ratio->high, 0.771749, 1e-5);
}

TEST(RatioOfMeans, IsNeverBelowZero) {
  const auto ratio = ratio_of_means(Values{0.1, 9}, Values{19, 21});
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->low, 0);
  EXPECT_GT(ratio->high, 1);
}

TEST(RatioOfMeans, HoldsOneExactlyWhenWelchSeesNoDifference) {
  for (double shift = 0; shift < 0.5; shift += 0.01) {
    const Values a{1.0, 1.1, 0.9, 1.05}, b{1.0 + shift, 1.2 + shift, 0.95 + shift};
    const bool same = welch_test(a, b)->p_value >= 0.05;
    EXPECT_EQ(ratio_of_means(a, b)->contains(1), same) << shift;
  }
}

}  // namespace
}  // namespace lapcast

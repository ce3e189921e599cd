#include "stats/two_samples.h"

#include <gtest/gtest.h>

#include <vector>

#include "stats/distributions.h"

namespace lapcast {
namespace {

using Values = std::vector<double>;

TEST(Welch, NeedsTwoValuesEachAndSomeVariation) {
  EXPECT_FALSE(welch_test(Values{}, Values{1, 2}));
  EXPECT_FALSE(welch_test(Values{1, 2}, Values{1}));
  EXPECT_FALSE(welch_test(Values{1, 1}, Values{2, 2}));
}

// a = 1..5: mean 3, variance 2.5; b = 2, 4, 6, 8: mean 5, variance 20/3.
// Squared error 0.5 + 5/3 = 2.166667, t = -2/1.471960 = -1.358732;
// df = 2.166667^2 / (0.25/4 + 2.777778/3) = 4.694444/0.988426 = 4.749415.
// Pooled variance (10 + 20)/7 = 4.285714, d = -2/2.070197 = -0.966092, times 1 - 3/27 = -0.858748.
// Variance of g 9/20 + 0.737448/18 = 0.490969, its root 0.700692, times 1.959964 = 1.373331.
TEST(Welch, ByHand) {
  const auto test = welch_test(Values{1, 2, 3, 4, 5}, Values{2, 4, 6, 8});
  ASSERT_TRUE(test);
  EXPECT_NEAR(test->t, -1.358732, 1e-6);
  EXPECT_NEAR(test->df, 4.749415, 1e-5);
  EXPECT_NEAR(test->effect_size, -0.858748, 1e-5);
  EXPECT_NEAR(test->effect.low, -2.232079, 1e-5);
  EXPECT_NEAR(test->effect.high, 0.514583, 1e-5);
  EXPECT_DOUBLE_EQ(test->difference.mid, -2);
  EXPECT_TRUE(test->difference.contains(0));
  EXPECT_GT(test->p_value, 0.2);  // t(4.75) is 1.58 at 0.18, 1.19 at 0.29
  EXPECT_LT(test->p_value, 0.3);
}

TEST(Welch, SwappingTurnsTheSign) {
  const Values a{1.0, 1.1, 0.9}, b{2.0, 2.1, 1.8};
  const auto forth = welch_test(a, b), back = welch_test(b, a);
  EXPECT_DOUBLE_EQ(forth->t, -back->t);
  EXPECT_DOUBLE_EQ(forth->p_value, back->p_value);
  EXPECT_LT(forth->p_value, 0.01);
}

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

#include "stats/intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "stats/distributions.h"
#include "stats/series_test.h"

namespace lapcast {
namespace {

using Values = std::vector<double>;

// From the usual tables of Student's t.
TEST(StudentT, Table) {
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_two_sided(-2.228, 10), 0.05, 1e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 1e9), kZ95, 1e-6);
}

TEST(MeanInterval, OfNothingAndOne) {
  EXPECT_TRUE(std::isnan(mean_interval(Values{}).mid));
  const Interval<double> one = mean_interval(Values{4});
  EXPECT_EQ(one.mid, 4);
  EXPECT_TRUE(std::isinf(one.low) && std::isinf(one.high));
}

// 1..10: mean 5.5, sd 3.02765, /sqrt(10) = 0.957427, times t(9) 2.262157 = 2.165851.
TEST(MeanInterval, OneToTen) {
  Values values(10);
  std::iota(values.begin(), values.end(), 1);
  const Interval<double> interval = mean_interval(values);
  EXPECT_NEAR(interval.low, 5.5 - 2.165851, 1e-5);
  EXPECT_NEAR(interval.high, 5.5 + 2.165851, 1e-5);
  EXPECT_NEAR(relative_half_width(interval), 2.165851 / 5.5, 1e-6);
}

TEST(Cut, KeepsTheMidInside) {
  EXPECT_EQ(cut({-1, 0.5, 2}, 0, 1), (Interval<double>{0, 0.5, 1}));
  EXPECT_EQ(cut({0.2, 0.5, 0.8}, 0, 1), (Interval<double>{0.2, 0.5, 0.8}));
  EXPECT_EQ(cut({-4, -3, -2}, 0, 1), (Interval<double>{-3, -3, -2}));
}

TEST(RelativeHalfWidth, OfZeroIsUnknown) {
  EXPECT_TRUE(std::isnan(relative_half_width({-1, 0, 1})));
  EXPECT_DOUBLE_EQ(relative_half_width({-3, -2, -1}), 0.5);
}

TEST(MedianInterval, OfNothingAndOne) {
  EXPECT_TRUE(std::isnan(median_interval(Values{}).mid));
  EXPECT_TRUE(std::isinf(median_interval(Values{4}).high));
}

// n = 10: P(X <= 1) = 11/1024 = 1.1 % <= 2.5 %, P(X <= 2) = 56/1024 = 5.5 %: the 2nd and the 9th.
TEST(MedianInterval, TenValuesLeaveOutOneAtEachEnd) {
  Values values(10);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_EQ(median_interval(values), (Interval<double>{2, 5.5, 9}));
}

// n = 6: P(X = 0) = 1/64 = 1.6 %; n = 5: 1/32 = 3.1 %, too often, but there is nothing wider.
TEST(MedianInterval, FewValuesAreSmallestAndLargest) {
  EXPECT_EQ(median_interval(Values{6, 5, 4, 3, 2, 1}), (Interval<double>{1, 3.5, 6}));
  EXPECT_EQ(median_interval(Values{5, 4, 3, 2, 1}), (Interval<double>{1, 3, 5}));
}

TEST(MedianInterval, ManyValuesMeetTheExactRanks) {
  Values below(1000), above(1001);
  std::iota(below.begin(), below.end(), 1);
  std::iota(above.begin(), above.end(), 1);
  EXPECT_NEAR(median_interval(below).low, median_interval(above).low, 1.5);
  EXPECT_NEAR(median_interval(below).high, median_interval(above).high, 1.5);
}

TEST(MedianInterval, AutocorrelationWidens) {
  Values values(100);
  std::iota(values.begin(), values.end(), 1);
  // Ranks outside: (100 - 1.96 * sqrt(100 * 4)) / 2 = 30.4, so the 31st and the 70th.
  EXPECT_EQ(median_interval_autocorrelated(values, 25), (Interval<double>{31, 50.5, 70}));
  EXPECT_EQ(median_interval_autocorrelated(values, 100), median_interval(values));
}

TEST(MedianInterval, CoversTheTrueMedian) {
  std::mt19937_64 generator(3);
  const double covered =
      share_of(1000, [&] { return median_interval(noisy_laps(generator, 30, 0.05)).contains(1); });
  EXPECT_GE(covered, 0.94);
  EXPECT_LE(covered, 0.985);
}

}  // namespace
}  // namespace lapcast

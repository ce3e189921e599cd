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

// The figures are from the usual tables of Student's t.
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

// The values 1..10 have mean 5.5 and sd 3.02765, /sqrt(10) = 0.957427, times t(9) 2.262157 =
// 2.165851.
TEST(MeanInterval, OneToTen) {
  Values values(10);
  std::iota(values.begin(), values.end(), 1);
  const Interval<double> interval = mean_interval(values);
  EXPECT_NEAR(interval.low, 5.5 - 2.165851, 1e-5);
  EXPECT_NEAR(interval.high, 5.5 + 2.165851, 1e-5);
  EXPECT_NEAR(relative_half_width(interval), 2.165851 / 5.5, 1e-6);
}

// Student's t of 2 degrees of freedom is 4.302653 at 0.975 and 6.964557 at 0.99; sd 2, n 3.
TEST(SpreadOfNext, OneMoreValueMayBeFartherThanTheMean) {
  EXPECT_EQ(spread_of_next(Values{10}), 0);
  EXPECT_NEAR(spread_of_next(Values{8, 10, 12}), 4.302653 * 2 * std::sqrt(4 / 3.0), 1e-5);
  EXPECT_NEAR(spread_of_next(Values{8, 10, 12}, 0.99), 6.964557 * 2 * std::sqrt(4 / 3.0), 1e-5);
}

TEST(Cut, KeepsTheMidInside) {
  EXPECT_EQ(cut_to_range({-1, 0.5, 2}, 0, 1), (Interval<double>{0, 0.5, 1}));
  EXPECT_EQ(cut_to_range({0.2, 0.5, 0.8}, 0, 1), (Interval<double>{0.2, 0.5, 0.8}));
  EXPECT_EQ(cut_to_range({-4, -3, -2}, 0, 1), (Interval<double>{-3, -3, -2}));
}

TEST(RelativeHalfWidth, OfZeroIsUnknown) {
  EXPECT_TRUE(std::isnan(relative_half_width({-1, 0, 1})));
  EXPECT_DOUBLE_EQ(relative_half_width({-3, -2, -1}), 0.5);
}

TEST(MedianInterval, OfNothingAndOne) {
  EXPECT_TRUE(std::isnan(median_interval(Values{}).mid));
  EXPECT_TRUE(std::isinf(median_interval(Values{4}).high));
}

// For n = 10, P(X <= 1) = 11/1024 = 1.1 % <= 2.5 %, P(X <= 2) = 56/1024 = 5.5 %: the 2nd and 9th.
TEST(MedianInterval, TenValuesLeaveOutOneAtEachEnd) {
  Values values(10);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_EQ(median_interval(values), (Interval<double>{2, 5.5, 9}));
}

// For n = 6, P(X = 0) = 1/64 = 1.6 %; for n = 5 it is 1/32 = 3.1 %, too often, but nothing is
// wider.
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
  // Outside are (100 - 1.96 * sqrt(100 * 4)) / 2 = 30.4 ranks, so the ends are the 31st and the
  // 70th.
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

// sqrt(5 / 4 x ln(5 / 0.05^2)) = sqrt(1.25 x ln 2000) = sqrt(1.25 x 7.600902) = 3.082390
TEST(AnytimeBounds, NormalMixtureByHand) {
  EXPECT_NEAR(anytime_z_factor(4, 0.05), 3.082390, 1e-6);
  EXPECT_TRUE(std::isinf(anytime_z_factor(0, 0.05)));
}

// n = 10: widened 91, limit (91 / 0.0025)^(1/10) = exp(ln 36400 / 10) = exp(1.0502324) = 2.858315;
// 9 x 1.858315 / (1 - 2.858315 / 91) = 16.724835 / 0.9685900 = 17.267197, its root 4.155382
TEST(AnytimeBounds, TTestMixtureByHand) {
  EXPECT_NEAR(anytime_t_factor(10, 0.05), 4.155382, 1e-5);
}

// n = 3: widened 28, limit (28 / 0.0025)^(1/3) = 22.37 < 28, but at an error of 0.01 it is 65 > 28.
TEST(AnytimeBounds, TooFewValuesSayNothing) {
  EXPECT_TRUE(std::isfinite(anytime_t_factor(3, 0.05)));
  EXPECT_TRUE(std::isinf(anytime_t_factor(3, 0.01)));
  EXPECT_TRUE(std::isinf(anytime_t_factor(1, 0.05)));
}

TEST(AnytimeBounds, WiderThanOneLookAndNarrowingWithValues) {
  EXPECT_GT(anytime_z_factor(100, 0.05), 1.96);
  EXPECT_GT(anytime_t_factor(1000, 0.05), 1.96);
  EXPECT_LT(anytime_half_width(1, 0, 1000, 0.05), 5);
  EXPECT_LT(anytime_half_width(0.001, 0.1, 2, 0.01), anytime_half_width(0.001, 0.2, 2, 0.01));
}

TEST(AnytimeBounds, OfFewValuesTheAssumedDeviationCounts) {
  // 0.1 / sqrt(4) x sqrt(5 / 4 x ln(5 / 0.025^2)) = 0.05 x sqrt(1.25 x 8.987197) = 0.1675863
  EXPECT_NEAR(anytime_half_width(0.0001, 0.1, 4, 0.001 * 50),
              std::min(0.1675863, 0.0001 * anytime_t_factor(4, 0.025)), 1e-6);
  EXPECT_NEAR(anytime_half_width(0.0001, 0.1, 2, 0.05),
              0.1 / std::sqrt(2.0) * anytime_z_factor(2, 0.025), 1e-12);
}

/// Returns the shares of 1,000 series of 200 normal values in which the mean was outside at any n
/// that was looked at.
double ever_outside(bool known) {
  int outside = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SeededNumbers random(seed);
    double sum = 0, squares = 0;
    for (int n = 1; n <= 200; ++n) {
      const double value = random.normal();
      sum += value;
      squares += value * value;
      const double mean = sum / n;
      const double deviation = n < 2 ? 1 : std::sqrt((squares - n * mean * mean) / (n - 1));
      const double half = known ? anytime_z_factor(n, 0.1) / std::sqrt(n)
                                : anytime_t_factor(n, 0.1) * deviation / std::sqrt(n);
      if (std::abs(mean) <= half) continue;
      ++outside;
      break;
    }
  }
  return outside / 1000.0;
}

TEST(AnytimeBounds, HoldAtAllLooksTogether) {
  EXPECT_LE(ever_outside(true), 0.1);
  EXPECT_LE(ever_outside(false), 0.1);
  EXPECT_GT(ever_outside(true) + ever_outside(false), 0.02);  // and are not hopelessly wide
}

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

// 9, 10, 11 have standard error 1/sqrt(3) = 0.57735; t(2) = 4.302653 makes a half-width of 2.4841,
// 24.8 %.
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

// (24.8 % / 10 %)^2 = 6.17 times as many runs as 3 are 19, but 9 at most are made.
TEST(RepeatRule, ExpectsAsManyRunsAsTheWidthAsksFor) {
  EXPECT_EQ(expected_runs(Values{}, {.at_least = 4}), 4u);
  EXPECT_EQ(expected_runs(Values{9, 10, 11}, {.at_least = 3, .precision = 0.1}), 9u);
  EXPECT_EQ(expected_runs(Values{9, 10, 11}, {.at_least = 3, .precision = 0.2}), 5u);
  EXPECT_EQ(expected_runs(Values{9, 10, 11}, {.at_least = 3, .precision = 0.3}), 3u);
}

}  // namespace
}  // namespace lapcast

#include "stats/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/intervals.h"
#include "stats/series_test.h"

namespace lapcast {
namespace {

using Values = std::vector<double>;

TEST(AutocorrelatedMean, OfNothingOneAndConstants) {
  EXPECT_TRUE(std::isnan(autocorrelated_mean(Values{}).interval.mid));
  EXPECT_TRUE(std::isinf(autocorrelated_mean(Values{2}).interval.high));
  EXPECT_EQ(autocorrelated_mean(Values{2}).effective_n, 1);
  const MeanEstimate same = autocorrelated_mean(Values(20, 2.0));
  EXPECT_EQ(same.interval, Interval<double>::exactly(2));
  EXPECT_EQ(same.effective_n, 20);
}

// Values 0 1 0 1 ... average out faster than independent ones would, and the gain is not taken.
TEST(VarianceInflation, NegativeCorrelationDoesNotNarrow) {
  Values values(20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 2);
  EXPECT_EQ(variance_inflation(values), 1);
}

// 10 zeros and 10 ones have deviations -+1/2, a sum of squares 5, of neighbours' products (18 -
// 1)/4 = 4.25: correlation 0.85, corrected (20 * 0.85 + 1) / 17 = 18/17, held at 0.95:
// (1.95)/(0.05) = 39, held at n/2 = 10.
TEST(VarianceInflation, TwoLevelsAreWorthTwoValues) {
  Values values(20, 0.0);
  std::fill(values.begin() + 10, values.end(), 1.0);
  EXPECT_EQ(variance_inflation(values), 10);
  const MeanEstimate estimate = autocorrelated_mean(values);
  EXPECT_EQ(estimate.effective_n, 2);
  EXPECT_EQ(estimate.interval.low, -0.5);  // 0 - (1 - 0) / 2; Student's t alone would say -4
  EXPECT_EQ(estimate.interval.high, 1.5);
}

double coverage(std::size_t laps, double rho, bool plain = false) {
  std::mt19937_64 generator(20261);
  return share_of(1000, [&] {
    const Values values = noisy_laps(generator, laps, 0.05, rho);
    return (plain ? mean_interval(values) : autocorrelated_mean(values).interval).contains(1);
  });
}

TEST(AutocorrelatedMean, CoversTheTruthForWhiteNoise) {
  for (std::size_t laps : {10, 30, 100, 400}) {
    const double covered = coverage(laps, 0);
    EXPECT_GE(covered, 0.93) << laps;
    EXPECT_LE(covered, 0.99) << laps;
  }
}

TEST(AutocorrelatedMean, CoversTheTruthForAutocorrelatedLaps) {
  for (double rho : {0.3, 0.5, 0.7}) {
    for (std::size_t laps : {30, 100, 400}) {
      const double covered = coverage(laps, rho);
      EXPECT_GE(covered, 0.90) << laps << " laps, " << rho;
      EXPECT_LE(covered, 0.99) << laps << " laps, " << rho;
    }
  }
  EXPECT_LT(coverage(100, 0.5, true), 0.80);  // what Student's t alone would do
}

// A first-order autocorrelation of 0.5 inflates by (1 + 0.5)/(1 - 0.5) = 3.
TEST(VarianceInflation, FindsThatOfAFirstOrderAutoregression) {
  std::mt19937_64 generator(5);
  EXPECT_NEAR(variance_inflation(noisy_laps(generator, 2000, 0.1, 0.5)), 3, 0.6);
  EXPECT_NEAR(variance_inflation(noisy_laps(generator, 100000, 0.1, 0.5)), 3, 0.6);
}

TEST(AutocorrelatedMean, MoreLapsOfTheSameNoiseNarrowIt) {
  std::mt19937_64 generator(6);
  const Values values = noisy_laps(generator, 4000, 0.05, 0.3);
  double before = 1;
  for (std::size_t n : {20, 80, 320, 1280, 4000}) {
    const double width =
        relative_half_width(autocorrelated_mean(std::span(values).first(n)).interval);
    EXPECT_LT(width, 0.9 * before) << n;
    before = width;
  }
}

using Values = std::vector<double>;
using Indices = std::vector<std::size_t>;

TEST(RunningMedian, ShiftsItsWindowAtTheEnds) {
  EXPECT_EQ(running_median(Values{}, 1), Values{});
  EXPECT_EQ(running_median(Values{3}, 1), Values{3});
  EXPECT_EQ(running_median(Values{5, 1, 4, 2, 9}, 1), (Values{4, 4, 2, 4, 4}));
  EXPECT_EQ(running_median(Values{5, 1}, 1), (Values{3, 3}));  // fewer than a window
}

TEST(Stalls, NoneInFewValuesOrEqualOnes) {
  EXPECT_TRUE(find_stalls(Values{}).at.empty());
  EXPECT_TRUE(find_stalls(Values{1, 9, 1, 1}).at.empty());
  EXPECT_TRUE(find_stalls(Values(30, 1.0)).at.empty());
}

TEST(Stalls, FoundAndClippedToTheirNeighbours) {
  Values laps(30, 1.0);
  laps[10] = 5;
  laps[11] = 2;
  laps[20] = 1.25;  // less than 30 % above: noise
  const Stalls stalls = find_stalls(laps);
  EXPECT_EQ(stalls.at, (Indices{10, 11}));
  EXPECT_EQ(count_stalls(stalls.at), 1u);
  const Values calm = clipped(laps, stalls);
  EXPECT_EQ(calm.size(), laps.size());
  EXPECT_EQ(calm[10], 1);
  EXPECT_EQ(calm[20], 1.25);
}

TEST(Stalls, ALevelIsNoStall) {
  Values laps(40, 1.0);
  std::fill(laps.begin() + 15, laps.begin() + 27, 2.0);
  EXPECT_TRUE(find_stalls(laps).at.empty());
}

TEST(Stalls, RareInWildNoise) {
  std::mt19937_64 generator(8);
  std::size_t found = 0;
  for (int i = 0; i < 200; ++i) found += find_stalls(noisy_laps(generator, 50, 0.15)).at.size();
  EXPECT_LE(found, 2u);  // of 10,000 laps
}

// Beyond 16,384 values medians are taken only where a value could be above its limit.
TEST(Stalls, OfALongSeriesAreThoseOfItsPieces) {
  std::mt19937_64 generator(53);
  Values laps = noisy_laps(generator, 40000, 0.1);
  for (std::size_t i = 17; i < laps.size(); i += 997) laps[i] *= 2.5;
  laps[39999] = 9;
  const Stalls all = find_stalls(laps);
  const Values medians = running_median(laps, 5);
  ASSERT_EQ(all.at.size(), 42u);  // 41 of every 997th, and the last
  for (std::size_t i = 0; i < all.at.size(); ++i) EXPECT_EQ(all.usual[i], medians[all.at[i]]);
}

using Values = std::vector<double>;

TEST(LevelShift, NoneWhereThereIsNothingToSplit) {
  EXPECT_FALSE(strongest_level_shift(Values{}, 5));
  EXPECT_FALSE(strongest_level_shift(Values{1}, 5));
  EXPECT_FALSE(strongest_level_shift(Values{1, 2, 3, 4, 5}, 5));
  EXPECT_FALSE(strongest_level_shift(Values(20, 1.0), 5));
}

// Levels of 2 +- 0.1 (4 values) and 1 +- 0.1 (8 values) alternate: the residuals are +-0.1, their
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

// Values 1, 2 and 4 of weights 1, 2 and 1: mean 9/4, weighted deviations -5/4, -1/2 and 7/4, sum of
// squares 39/8; times 3/2, its root over the weight 4 is 0.676. They are worth 16/6 values.
TEST(AutocorrelatedMean, WeighsValues) {
  const MeanEstimate estimate = autocorrelated_mean(Values{1, 2, 4}, Values{1, 2, 1});
  EXPECT_DOUBLE_EQ(estimate.interval.mid, 2.25);
  EXPECT_NEAR(estimate.standard_error, std::sqrt(39.0 / 8 * 1.5) / 4, 1e-12);
  EXPECT_NEAR(estimate.effective_n, 16.0 / 6, 1e-12);
  const Values equal(3, 7.0);
  EXPECT_NEAR(autocorrelated_mean(Values{1, 2, 4}, equal).interval.high,
              autocorrelated_mean(Values{1, 2, 4}).interval.high, 1e-9);
}

// 30 sums of 0.1 by different ways differ by rounding only: they are 30 equal values.
TEST(VarianceInflation, RoundingIsNoCorrelation) {
  Values values(30, 0.0253);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % 7 < 3) values[i] = std::nextafter(values[i], 1);
  EXPECT_EQ(variance_inflation(values), 1);
}

}  // namespace
}  // namespace lapcast

#include "stats/autocorrelation.h"

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

// 0 1 0 1 ...: what alternates averages out faster than independent values would, and the gain is
// not taken.
TEST(VarianceInflation, NegativeCorrelationDoesNotNarrow) {
  Values values(20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 2);
  EXPECT_EQ(variance_inflation(values), 1);
}

// 10 zeros, 10 ones: deviations -+1/2, sum of squares 5, of neighbours' products (18 - 1)/4 = 4.25:
// correlation 0.85, corrected (20 * 0.85 + 1) / 17 = 18/17, held at 0.95: (1.95)/(0.05) = 39, held
// at n/2 = 10.
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

// First order, 0.5: inflation (1 + 0.5)/(1 - 0.5) = 3.
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

}  // namespace
}  // namespace lapcast

#include "stats/steady_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/series_test.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;

TEST(CompareWithRest, HasNoExponents) {
  EXPECT_EQ(compare_with_rest(1.996, 1), "100 % slower than the rest");
  EXPECT_EQ(compare_with_rest(0.004, 1), "100 % faster than the rest");
  EXPECT_EQ(compare_with_rest(1.021, 1), "2.1 % slower than the rest");
  EXPECT_EQ(compare_with_rest(1234, 1), "1234 times as slow as the rest");
}

TEST(SteadyState, OfNothingOneAndTwo) {
  EXPECT_EQ(find_steady_state(Values{}).begin, 0u);
  EXPECT_EQ(find_steady_state(Values{1}).begin, 0u);
  EXPECT_EQ(find_steady_state(Values{9, 1}).begin, 1u);
  EXPECT_TRUE(std::isnan(steady_mean(Values{}, {}).whole.mid));
  EXPECT_EQ(steady_mean(Values{4}, {}).whole.mid, 4);
}

TEST(SteadyState, FirstLapIsNeverSteady) {
  Values laps(20, 1.0);
  laps[0] = 20;
  const SteadyState state = find_steady_state(laps);
  EXPECT_EQ(state.begin, 1u);
  EXPECT_EQ(state.why, "the first lap was 20 times as slow as the rest");
  EXPECT_EQ(steady_mean(laps, state).whole, Interval<double>::exactly(1));
}

// A planted change must be found to the lap, or nearly.
TEST(SteadyState, SlowStartIsCutOff) {
  std::mt19937_64 generator(11);
  for (std::size_t n : {12, 20, 40, 1000}) {
    Values laps = noisy_laps(generator, n, 0.02);
    laps[0] *= 15, laps[1] *= 3, laps[2] *= 1.4;
    EXPECT_EQ(find_steady_state(laps).begin, 3u) << n;
  }
}

TEST(SteadyState, LevelShiftInTheMiddle) {
  std::mt19937_64 generator(12);
  for (double rho : {0.0, 0.5}) {
    for (std::size_t n : {40, 200, 1000}) {
      const double found = share_of(100, [&] {
        Values laps = noisy_laps(generator, n, 0.02, rho);
        for (std::size_t i = 0; i < n / 2; ++i) laps[i] *= 1.15;
        const auto begin = static_cast<double>(find_steady_state(laps).begin);
        return std::abs(begin - static_cast<double>(n) / 2) <= 3;
      });
      EXPECT_GE(found, 0.9) << n << " laps, " << rho;
    }
  }
}

TEST(SteadyState, GetsSlowerInTheMiddle) {
  Values laps(60, 1.0);
  for (std::size_t i = 40; i < 60; ++i) laps[i] = 1.5 + 0.01 * static_cast<double>(i % 2);
  const SteadyState state = find_steady_state(laps);
  EXPECT_EQ(state.begin, 40u);
  EXPECT_THAT(state.why, HasSubstr("faster than the rest; the level changed after lap 40"));
}

TEST(SteadyState, DisturbanceThatCameAndWent) {
  std::mt19937_64 generator(13);
  Values laps = noisy_laps(generator, 60, 0.02);
  for (std::size_t i = 20; i < 32; ++i) laps[i] *= 1.5;
  EXPECT_EQ(find_steady_state(laps).begin, 32u);
}

TEST(SteadyState, IsolatedStallsAreReportedAndKeptInTheInterval) {
  std::mt19937_64 generator(14);
  Values laps = noisy_laps(generator, 40, 0.02);
  laps[25] = 5;
  const SteadyState state = find_steady_state(laps);
  EXPECT_EQ(state.begin, 1u);
  EXPECT_EQ(state.stalls, std::vector<std::size_t>{25});
  EXPECT_FALSE(state.stalls_recur);
  const SteadyMean steady = steady_mean(laps, state);
  const double with_stall = mean(std::span(laps).subspan(1));  // about 1 + 4/39 = 1.10
  EXPECT_NEAR(steady.whole.mid, 1, 0.01);
  EXPECT_LT(steady.noise.interval.high, 1.03);
  EXPECT_GT(steady.whole.high, with_stall);
}

TEST(SteadyState, RecurringStallsAreWhatALapCosts) {
  Values laps(41, 1.0);
  for (std::size_t i = 8; i < laps.size(); i += 8) laps[i] = 3;  // 5 of 40 steady: 1 + 2/8 = 1.25
  const SteadyState state = find_steady_state(laps);
  EXPECT_TRUE(state.stalls_recur);
  EXPECT_EQ(state.begin, 1u);
  EXPECT_DOUBLE_EQ(steady_mean(laps, state).whole.mid, 1.25);
}

TEST(SteadyState, ARampEndsLateOrShowsAsDrift) {
  std::mt19937_64 generator(15);
  for (std::size_t n : {40, 400}) {
    Values laps = noisy_laps(generator, n, 0.01);
    for (std::size_t i = 0; i < n; ++i) {
      laps[i] *= 1 + 0.2 * static_cast<double>(i) / static_cast<double>(n);
    }
    const SteadyState state = find_steady_state(laps);
    EXPECT_TRUE(state.begin > n / 3 || state.drift > 0.05) << n;
    EXPECT_GT(steady_mean(laps, state).whole.high, 1.15) << n;
  }
}

TEST(SteadyState, DriftWidensToTheLevelAtTheEnd) {
  SteadyState state;
  state.drift = 0.2;
  const SteadyMean steady = steady_mean(Values(20, 1.0), state);
  EXPECT_DOUBLE_EQ(steady.whole.high, 1.1);
  EXPECT_DOUBLE_EQ(steady.whole.low, 1);
}

double false_alarms(std::size_t laps, double rho) {
  std::mt19937_64 generator(16);
  return share_of(
      500, [&] { return find_steady_state(noisy_laps(generator, laps, 0.03, rho)).begin > 1; });
}

TEST(SteadyState, FewFalseAlarms) {
  for (std::size_t laps : {12, 20, 40, 200, 1000}) {
    EXPECT_LE(false_alarms(laps, 0), 0.015) << laps;
    EXPECT_LE(false_alarms(laps, 0.5), 0.06) << laps;
  }
}

TEST(SteadyState, CoverageAfterDetection) {
  for (double rho : {0.0, 0.5}) {
    std::mt19937_64 generator(17);
    const double covered = share_of(500, [&] {
      Values laps = noisy_laps(generator, 40, 0.03, rho);
      laps[0] *= 10;
      return steady_mean(laps, find_steady_state(laps)).whole.contains(1);
    });
    EXPECT_GE(covered, 0.90) << rho;
    EXPECT_LE(covered, 0.99) << rho;
  }
}

TEST(SteadyState, SettledOnlyWithEnoughAfterTheLastChange) {
  Values laps(30, 1.0);
  for (std::size_t i = 0; i < 23; ++i) laps[i] = 2 + 0.01 * static_cast<double>(i % 2);
  const SteadyState state = find_steady_state(laps);
  EXPECT_EQ(state.begin, 23u);
  EXPECT_FALSE(state.settled);
  EXPECT_THAT(state.why, HasSubstr("shortly before the end"));
}

// Where a series is too long to look at every value, warm-up is found to the lap, and a change to
// one block of 4096.
TEST(SteadyState, LongSeries) {
  std::mt19937_64 generator(16);
  Values laps = noisy_laps(generator, 200000, 0.05);
  laps[0] *= 20, laps[1] *= 4, laps[2] *= 2;
  for (const std::size_t at : {50000u, 120000u}) laps[at] = 8;
  const SteadyState calm = find_steady_state(laps);
  EXPECT_EQ(calm.begin, 3u);
  EXPECT_THAT(calm.stalls, testing::ElementsAre(50000, 120000));
  EXPECT_EQ(calm.drift, 0);
  for (std::size_t i = 0; i < 77777; ++i) laps[i] *= 1.03;
  const SteadyState shifted = find_steady_state(laps);
  EXPECT_NEAR(static_cast<double>(shifted.begin), 77777, 200000 / 4096.0 + 1);
  EXPECT_THAT(shifted.stalls, testing::ElementsAre(120000));
  Values trend = noisy_laps(generator, 200000, 0.05);
  for (std::size_t i = 0; i < trend.size(); ++i) trend[i] *= 1 + 5e-7 * static_cast<double>(i);
  EXPECT_GT(find_steady_state(trend).begin, 100000u);
}

TEST(SteadyState, LongSeriesHaveFewFalseAlarms) {
  std::mt19937_64 generator(17);
  EXPECT_LE(share_of(100,
                     [&] {
                       const SteadyState state =
                           find_steady_state(noisy_laps(generator, 20000, 0.05, 0.3));
                       return state.begin > 1 || state.drift != 0;
                     }),
            0.03);
}

using testing::HasSubstr;
using Values = std::vector<double>;

TEST(CoarseSeries, TheLastThreeFifthsCount) {
  EXPECT_EQ(find_coarse_state(Values{}).begin, 0u);
  EXPECT_EQ(find_coarse_state(Values{1}).begin, 0u);
  EXPECT_EQ(find_coarse_state(Values{2, 1}).begin, 1u);
  EXPECT_EQ(find_coarse_state(Values{2, 1, 1}).begin, 1u);
  EXPECT_EQ(find_coarse_state(Values{2, 1, 1, 1}).begin, 1u);
  EXPECT_EQ(find_coarse_state(Values{2, 1, 1, 1, 1}).begin, 2u);
  const SteadyState ten = find_coarse_state(Values{3, 2, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(ten.begin, 4u);
  EXPECT_THAT(ten.why, HasSubstr("of 10 long laps the last 6 count"));
  EXPECT_THAT(ten.why, HasSubstr("those before were on average 75 % slower"));
}

TEST(CoarseSeries, MeanWithoutSmallestAndLargest) {
  const Values five{9, 9, 10, 40, 11};  // of the last three: the middle one
  const SteadyMean few = coarse_mean(five, find_coarse_state(five));
  EXPECT_EQ(few.whole.mid, 11);
  EXPECT_GT(few.whole.high, (10 + 40 + 11) / 3.0);
  const Values eight{9, 9, 9, 10, 12, 11, 50, 3};  // of the last five: (10 + 12 + 11) / 3
  EXPECT_EQ(coarse_mean(eight, find_coarse_state(eight)).whole.mid, 11);
  const Values two{4, 2};
  EXPECT_EQ(coarse_mean(two, find_coarse_state(two)).whole.mid, 2);
}

// Epochs that decay to their level, as caches fill, are forecast better than by their mean.
TEST(CoarseSeries, DecayIsForgotten) {
  std::mt19937_64 generator(61);
  double of_mean = 0, of_coarse = 0;
  for (int i = 0; i < 200; ++i) {
    Values epochs = noisy_laps(generator, 5, 0.005);
    epochs[0] *= 1.5, epochs[1] *= 1.2, epochs[2] *= 1.02;
    const SteadyState plain = find_steady_state(epochs);
    of_mean += std::abs(steady_mean(epochs, plain).whole.mid - 1) / 200;
    of_coarse += std::abs(coarse_mean(epochs, find_coarse_state(epochs)).whole.mid - 1) / 200;
  }
  EXPECT_LT(of_coarse, 0.01);
  EXPECT_GT(of_mean, 0.05);
}

TEST(CoarseSeries, MidLiesInTheInterval) {
  std::mt19937_64 generator(62);
  for (std::size_t n = 2; n < 60; ++n) {
    const Values epochs = noisy_laps(generator, n, 0.1);
    const SteadyState state = find_coarse_state(epochs);
    EXPECT_LT(state.begin, n);
    EXPECT_GE(state.begin, 1u);
    const Interval<double> whole = coarse_mean(epochs, state).whole;
    EXPECT_TRUE(whole.contains(whole.mid)) << n;
  }
}

// An autocorrelation of 1 / sqrt(3) = 0.577 makes the variance 1.577 / 0.423 = 3.732 times as
// large.
TEST(SteadyMean, OfFewWeightedValuesAllowsForAutocorrelation) {
  const Values values{1, 2, 4}, weights(3, 7.0);
  const MeanEstimate plain = steady_mean(values, {}).noise;
  const MeanEstimate weighted = steady_mean(values, {}, weights).noise;
  EXPECT_NEAR(weighted.interval.mid, plain.interval.mid, 1e-9);
  EXPECT_NEAR(weighted.standard_error, std::sqrt(3.7321) * plain.standard_error, 1e-4);
  EXPECT_NEAR(weighted.interval.high - weighted.interval.mid,
              std::sqrt(3.7321) * (plain.interval.high - plain.interval.mid), 1e-3);
}

}  // namespace
}  // namespace lapcast

#include "stats/coarse_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "stats/series_test.h"

namespace lapcast {
namespace {

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

// Caches that fill: epochs that decay to their level are forecast better than by their mean.
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

}  // namespace
}  // namespace lapcast

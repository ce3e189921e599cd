#include "choose/time_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace lapcast {
namespace {

std::vector<double> cases(double low, double mid, double high) {
  return time_cases({Seconds{low}, Seconds{mid}, Seconds{high}});
}

double share_below(const std::vector<double>& times, double limit) {
  const auto below = std::count_if(times.begin(), times.end(), [&](double t) { return t < limit; });
  return static_cast<double>(below) / static_cast<double>(times.size());
}

TEST(TimeCases, IntervalHoldsNinetyFivePercent) {
  for (const auto& times : {cases(80, 100, 150), cases(0, 100, 150), cases(99, 100, 101)}) {
    ASSERT_EQ(times.size(), kCases);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_NEAR(share_below(times, 100), 0.5, 1e-9);
  }
  EXPECT_NEAR(share_below(cases(80, 100, 150), 80), 0.025, 1.0 / kCases);
  EXPECT_NEAR(share_below(cases(80, 100, 150), 150), 0.975, 1.0 / kCases);
  EXPECT_NEAR(share_below(cases(0, 100, 150), 150), 0.975, 1.0 / kCases);
  EXPECT_GE(cases(0, 100, 150).front(), 0);
}

TEST(TimeCases, KnownExactly) {
  const auto times = cases(7, 7, 7);
  EXPECT_EQ(times.front(), 7);
  EXPECT_EQ(times.back(), 7);
}

TEST(TimeCases, MeanOfALognormal) {
  // sigma = ln(1.2) / 1.96 = 0.0930; the mean of a lognormal is median * exp(sigma^2 / 2)
  // = 1.00434.
  const auto times = cases(1 / 1.2, 1, 1.2);
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / kCases;
  EXPECT_NEAR(mean, 1.00434, 1e-4);
}

}  // namespace
}  // namespace lapcast

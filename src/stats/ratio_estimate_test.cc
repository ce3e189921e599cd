#include "stats/ratio_estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lapcast {
namespace {

// Three pieces of 10, 20 and 30 files in 1, 2.2 and 2.8 s: 6 s / 60 files = 0.1 s. The residuals
// are 0, 0.2 and -0.2; their squares sum to 0.08, so the standard error is
// sqrt(0.08 / 2 / 3) / 20 = 0.005774. Student's t with 2 degrees of freedom is 4.303.
TEST(RatioEstimate, IsTheRatioOfTheTotals) {
  const std::vector<double> seconds{1, 2.2, 2.8};
  const std::vector<double> files{10, 20, 30};
  const RatioEstimate estimate = ratio_estimate(seconds, files);
  EXPECT_NEAR(estimate.ratio, 0.1, 1e-12);
  EXPECT_NEAR(estimate.standard_error, std::sqrt(0.08 / 2 / 3) / 20, 1e-12);
  EXPECT_EQ(estimate.df, 2);
  const auto interval = interval_of(estimate, 1000);
  EXPECT_NEAR(interval.mid, 100, 1e-9);
  EXPECT_NEAR(interval.high - interval.mid, 4.30265 * 5.7735, 1e-3);
  EXPECT_NEAR(interval.mid - interval.low, 4.30265 * 5.7735, 1e-3);
}

TEST(RatioEstimate, OfOnePieceHasNoBounds) {
  const std::vector<double> seconds{3};
  const std::vector<double> files{6};
  const RatioEstimate estimate = ratio_estimate(seconds, files);
  EXPECT_EQ(estimate.ratio, 0.5);
  EXPECT_TRUE(std::isinf(interval_of(estimate).high));
}

TEST(RatioEstimate, OfEqualRatiosIsCertain) {
  const std::vector<double> seconds{1, 2, 4};
  const RatioEstimate estimate = ratio_estimate(seconds, seconds);
  EXPECT_EQ(interval_of(estimate, 7), Interval<double>::exactly(7));
}

}  // namespace
}  // namespace lapcast

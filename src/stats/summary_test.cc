#include "stats/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lapcast {
namespace {

using Values = std::vector<double>;

TEST(Summary, OfNothingIsUnknown) {
  EXPECT_TRUE(std::isnan(mean(Values{})));
  EXPECT_TRUE(std::isnan(median(Values{})));
  EXPECT_TRUE(std::isnan(standard_deviation(Values{})));
  EXPECT_TRUE(std::isnan(median_absolute_deviation(Values{})));
  const Summary none = summarise(Values{});
  EXPECT_EQ(none.n, 0u);
  EXPECT_TRUE(std::isnan(none.min) && std::isnan(none.max));
}

TEST(Summary, OfOneValueHasNoDeviation) {
  const Summary one = summarise(Values{3.5});
  EXPECT_EQ(one.n, 1u);
  EXPECT_EQ(one.mean, 3.5);
  EXPECT_EQ(one.median, 3.5);
  EXPECT_EQ(one.mad, 0);
  EXPECT_TRUE(std::isnan(one.sd));
}

// 2, 4, 4, 4, 5, 5, 7, 9: mean 40/8 = 5; squares 9+1+1+1+0+0+4+16 = 32, 32/7 = 4.571...
TEST(Summary, KnownSample) {
  const Summary s = summarise(Values{9, 2, 4, 5, 4, 7, 4, 5});
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.sd, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(s.median, 4.5);
  EXPECT_DOUBLE_EQ(s.mad, 0.5);  // distances to 4.5: 2.5 .5 .5 .5 .5 .5 2.5 4.5
  EXPECT_DOUBLE_EQ(s.min, 2);
  EXPECT_DOUBLE_EQ(s.max, 9);
}

// Type 7: rank = p (n - 1); for 1..5 and p = 0.1 that is 0.4, between 1 and 2.
TEST(Quantile, Interpolates) {
  const Values values{5, 1, 4, 2, 3};
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 5);
  EXPECT_DOUBLE_EQ(quantile(values, 7), 5);
}

TEST(RobustDeviation, IsBlindToAnOutlier) {
  EXPECT_DOUBLE_EQ(robust_deviation(Values{1, 2, 3, 4, 1000}), 1.4826);
}

}  // namespace
}  // namespace lapcast

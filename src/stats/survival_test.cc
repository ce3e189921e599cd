#include "stats/survival.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

TEST(Survival, OfNothing) {
  EXPECT_TRUE(survival({}).empty());
  EXPECT_EQ(median_lifetime({}).mid, INFINITY);
}

TEST(Survival, ProductLimitByHand) {
  // 1, 2+, 3, 4, 5+ give (4/5), (4/5)(2/3), (4/5)(2/3)(1/2); 2+ counts until 2, 5+ to the end.
  const std::vector<Lifetime> lifetimes{{3}, {1}, {5, false}, {4}, {2, false}};
  const auto steps = survival(lifetimes);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].at_risk, 5u);
  EXPECT_EQ(steps[1].at_risk, 3u);
  EXPECT_EQ(steps[2].at_risk, 2u);
  EXPECT_NEAR(steps[0].survival.mid, 0.8, 1e-12);
  EXPECT_NEAR(steps[1].survival.mid, 8.0 / 15, 1e-12);
  EXPECT_NEAR(steps[2].survival.mid, 4.0 / 15, 1e-12);
  EXPECT_EQ(median_lifetime(steps).mid, 4);
}

TEST(Survival, IntervalByHand) {
  // One of 5 ended, so that Greenwood gives 1/(5*4) = 0.05; 1.96 sqrt(0.05) / -ln 0.8 = 1.96407;
  // 0.8^exp(1.96407) = 0.20381, 0.8^exp(-1.96407) = 0.96918.
  const std::vector<Lifetime> lifetimes{{1}, {2, false}, {2, false}, {2, false}, {2, false}};
  const auto steps = survival(lifetimes);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_NEAR(steps[0].survival.low, 0.2038, 1e-4);
  EXPECT_NEAR(steps[0].survival.high, 0.9692, 1e-4);
}

TEST(Survival, EndsAndCensoringsOfOneTime) {
  // At 2 one ends and one is no longer seen: both were at risk.
  const auto steps = survival(std::vector<Lifetime>{{2, false}, {2}, {3}});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_NEAR(steps[0].survival.mid, 2.0 / 3, 1e-12);
  EXPECT_EQ(steps[1].survival.mid, 0);
  EXPECT_EQ(steps[1].survival.low, 0);
  EXPECT_EQ(steps[1].survival.high, steps[0].survival.high);
}

TEST(Survival, AllTheSame) {
  const auto steps = survival(std::vector<Lifetime>{{7}, {7}});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].ended, 2u);
  EXPECT_EQ(median_lifetime(steps).mid, 7);
}

TEST(Survival, NoMedianWhereLessThanHalfEnded) {
  const auto steps = survival(std::vector<Lifetime>{{1}, {9, false}, {9, false}});
  EXPECT_EQ(median_lifetime(steps).mid, INFINITY);
}

}  // namespace
}  // namespace lapcast

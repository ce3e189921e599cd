#include "spot/lifetimes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace lapcast {
namespace {

// Ends at 10 and 20, and one that had not ended at 30: S is 2/3, then 1/3. The tail begins at 20
// with a mean of 60 / 2 = 30, so the mean is (10 + 20) / 3 + (20 + 30) / 3 = 26.67.
TEST(SpotLifetimes, ProductLimitWithATail) {
  const std::vector<Lifetime> seen{{20, true}, {10, true}, {30, false}};
  const auto lifetimes = LifetimeDistribution::of(seen);
  ASSERT_TRUE(lifetimes);
  EXPECT_DOUBLE_EQ(lifetimes->survival(Seconds{9}), 1);
  EXPECT_NEAR(lifetimes->survival(Seconds{10}), 2.0 / 3, 1e-12);
  EXPECT_NEAR(lifetimes->survival(Seconds{50}), std::exp(-1) / 3, 1e-12);
  EXPECT_NEAR(lifetimes->mean().count(), 80.0 / 3, 1e-12);
  SeededNumbers numbers(1);
  int ten = 0, twenty = 0;
  double sum = 0;
  constexpr int kDraws = 300'000;
  for (int i = 0; i < kDraws; ++i) {
    const double time = lifetimes->draw(numbers);
    ten += time == 10 ? 1 : 0;
    twenty += time == 20 ? 1 : 0;
    sum += time;
  }
  EXPECT_NEAR(ten / 300e3, 1.0 / 3, 0.005);  // five standard errors of 0.00086
  EXPECT_NEAR(twenty / 300e3, 1.0 / 3, 0.005);
  EXPECT_NEAR(sum / kDraws, 80.0 / 3, 0.25);
}

TEST(SpotLifetimes, WithoutAnEndTheTailIsTwiceWhatWasSeen) {
  const std::vector<Lifetime> seen{{3600, false}};
  const auto lifetimes = LifetimeDistribution::of(seen);
  ASSERT_TRUE(lifetimes);
  EXPECT_EQ(lifetimes->mean(), Seconds{7200});
}

TEST(SpotLifetimes, ARateIsExponential) {
  const auto lifetimes = LifetimeDistribution::exponential(Seconds{100});
  ASSERT_TRUE(lifetimes);
  EXPECT_NEAR(lifetimes->survival(Seconds{100}), std::exp(-1), 1e-12);
  EXPECT_EQ(lifetimes->mean(), Seconds{100});
  for (const double mean : {0.0, -1.0, 1e308, std::nan("")})
    EXPECT_FALSE(LifetimeDistribution::exponential(Seconds{mean}));
}

TEST(SpotLifetimes, NoLifetimesOrWrongOnesAreRefused) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(LifetimeDistribution::of({}));
  for (const double time : {0.0, -1.0, kInf, std::nan("")}) {
    const std::vector<Lifetime> seen{{time, true}};
    EXPECT_FALSE(LifetimeDistribution::of(seen)) << time;
  }
  const std::vector<Lifetime> huge{{1e308, true}, {1e308, true}};
  EXPECT_FALSE(LifetimeDistribution::of(huge));
}

}  // namespace
}  // namespace lapcast

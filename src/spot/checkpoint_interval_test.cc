#include "spot/checkpoint_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lapcast {
namespace {

TEST(SpotInterval, YoungAndDalyByHand) {
  // sqrt(2 * 60 * 10800) = 1138.4; c / 2M = 1 / 360, so Daly's is 1138.4 * (1 + 0.017568 +
  // 0.000309) - 60 = 1098.8.
  EXPECT_NEAR(young_interval(Seconds{60}, Seconds{10800}).count(), 1138.42, 0.01);
  EXPECT_NEAR(daly_interval(Seconds{60}, Seconds{10800}).count(), 1098.77, 0.01);
  EXPECT_EQ(daly_interval(Seconds{300}, Seconds{100}), Seconds{100});
}

TEST(SpotInterval, LossesOfOneKnownLifetimeByHand) {
  // A session of 1000 s: 100 s to start, then stretches of 200 + 50 s. Three are kept (750 s), and
  // 150 s are lost: checkpoints 150 / 1000, lost work 150 / 1000, restarts 100 / 1000.
  const std::vector<Lifetime> seen{{1000, true}};
  const auto lifetimes = LifetimeDistribution::of(seen);
  CheckpointCosts costs{Seconds{50}, Seconds{100}};
  LossShares losses = expected_losses(*lifetimes, costs, Seconds{200});
  EXPECT_NEAR(losses.checkpoints, 0.15, 1e-12);
  EXPECT_NEAR(losses.lost_work, 0.15, 1e-12);
  EXPECT_NEAR(losses.restarts, 0.1, 1e-12);
  // A notice of a minute saves 100 s of the last 150 with a fourth checkpoint.
  costs.notice = Seconds{60};
  losses = expected_losses(*lifetimes, costs, Seconds{200});
  EXPECT_NEAR(losses.checkpoints, 0.2, 1e-12);
  EXPECT_NEAR(losses.lost_work, 0, 1e-12);
}

// Of exponential lifetimes a stretch s takes (e^(s/M) - 1) e^(R/M) M for its work of s - c. For
// M = 3600, R = 120, c = 60, s = 660: kept share 600 / (0.201215 * 1.033895 * 3600) = 0.80116.
TEST(SpotInterval, ExponentialLossesAgreeWithTheClosedForm) {
  const auto lifetimes = LifetimeDistribution::exponential(Seconds{3600});
  const CheckpointCosts costs{Seconds{60}, Seconds{120}};
  const LossShares losses = expected_losses(*lifetimes, costs, Seconds{600});
  const double stretch = std::expm1(660.0 / 3600) * std::exp(120.0 / 3600) * 3600;
  EXPECT_NEAR(1 - losses.sum(), 600 / stretch, 1e-9);
  // Every session restarts, for 3600 * (1 - e^(-120/3600)) s on the mean.
  EXPECT_NEAR(losses.restarts, -std::expm1(-120.0 / 3600), 1e-12);
}

TEST(SpotInterval, ATailThatBeginsWithinTheRestartIsExact) {
  // Half of the sessions end at 60 s, the others last on for 1800 s on the mean; the restart takes
  // 120 s. Compared with the middle of many equally likely lifetimes.
  const std::vector<Lifetime> seen{{60, true}, {1740, false}};
  const auto lifetimes = LifetimeDistribution::of(seen);
  ASSERT_EQ(lifetimes->tail_begin(), 60);
  const CheckpointCosts costs{Seconds{30}, Seconds{120}};
  const LossShares losses = expected_losses(*lifetimes, costs, Seconds{300});
  double kept = 0, restart = 30;
  constexpr int kParts = 1'000'000;
  for (int i = 0; i < kParts; ++i) {
    const double length = 60 - 1800 * std::log1p(-(i + 0.5) / kParts);
    restart += 0.5 * std::min(length, 120.0) / kParts;
    kept += 0.5 * 300 * std::floor(std::max(0.0, length - 120) / 330) / kParts;
  }
  EXPECT_NEAR(losses.restarts, restart / lifetimes->mean().count(), 1e-5);
  EXPECT_NEAR(1 - losses.sum(), kept / lifetimes->mean().count(), 1e-5);
}

TEST(SpotInterval, TheBestIsNearDalysWhereLifetimesAreExponential) {
  const auto lifetimes = LifetimeDistribution::exponential(Seconds{10800});
  const auto plan = best_interval(*lifetimes, {Seconds{60}, Seconds{300}});
  ASSERT_TRUE(plan);
  EXPECT_NEAR(plan->interval / daly_interval(Seconds{60}, Seconds{10800}), 1, 0.02);
}

TEST(SpotInterval, TheBestSavesJustBeforeAKnownEnd) {
  const std::vector<Lifetime> seen{{3600, true}};
  const auto plan = best_interval(*LifetimeDistribution::of(seen), {Seconds{60}, Seconds{300}});
  ASSERT_TRUE(plan);
  EXPECT_NEAR(plan->interval.count(), 3240, 50);  // one checkpoint: 3600 - 300 - 60
  EXPECT_LE(plan->interval.count(), 3240);
}

TEST(SpotInterval, CostsThatMakeNoSenseAreRefused) {
  const auto lifetimes = LifetimeDistribution::exponential(Seconds{10800});
  EXPECT_FALSE(best_interval(*lifetimes, {Seconds{0}, Seconds{300}}));
  EXPECT_FALSE(best_interval(*lifetimes, {Seconds{-1}, Seconds{300}}));
  EXPECT_FALSE(best_interval(*lifetimes, {Seconds{60}, Seconds{std::nan("")}}));
}

}  // namespace
}  // namespace lapcast

#include "forecast/validation_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"

namespace lapcast {
namespace {

SteadyLaps steady_half_second() {
  SteadyLaps steady;
  steady.mean = Interval<Seconds>::exactly(Seconds{0.5});
  steady.samples_per_lap = 100;
  return steady;
}

std::optional<ValidationCost> cost_of(const FakeLog& fake, std::int64_t samples) {
  return validation_cost(fake.log, samples, steady_half_second());
}

TEST(ValidationCost, NothingPlannedNothingSeen) {
  EXPECT_FALSE(cost_of(FakeLog().lap(0.5), 0));
  EXPECT_FALSE(forward_share_cost(SteadyLaps{}, 1000));  // laps report no samples
}

TEST(ValidationCost, BeforeTheFirstLapIsInit) {
  EXPECT_FALSE(cost_of(FakeLog().validation(3, 1000).lap(0.5), 0));
}

TEST(ValidationCost, OneMeasured) {
  const auto cost = cost_of(FakeLog().lap(0.5).validation(2, 1000), 1000);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->provenance, Provenance::measured);
  EXPECT_DOUBLE_EQ(cost->first.mid.count(), 2);
  EXPECT_DOUBLE_EQ(cost->later.mid.count(), 2);
  EXPECT_DOUBLE_EQ(cost->later.low.count(), 1.4);
  EXPECT_DOUBLE_EQ(cost->later.high.count(), 2.2);
}

TEST(ValidationCost, MeasuredOnesScaleToTheSamplesAskedFor) {
  FakeLog fake;
  fake.lap(0.5).validation(2, 1000).lap(0.5).validation(1, 1000);
  EXPECT_DOUBLE_EQ(cost_of(fake, 0)->later.mid.count(), 1);
  const auto half = cost_of(fake, 500);
  EXPECT_EQ(half->samples, 500);
  EXPECT_DOUBLE_EQ(half->first.mid.count(), 1);
  EXPECT_DOUBLE_EQ(half->later.mid.count(), 0.5);
}

// Two short ones, as the supervisor asks for them: 200 samples in 1 s (the first is slow), 800 in
// 0.8 s, so 1 ms each; 10,000 take 10 s, the first of them 0.8 s more.
TEST(ValidationCost, ShortOnesAreScaledAndTheFirstMayBeSlow) {
  FakeLog fake;
  fake.begin_epoch().lap(0.5).validation(1, 200).lap(0.5).validation(0.8, 800).lap(0.5);
  const auto cost = cost_of(fake, 10000);
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->provenance, Provenance::simulated);
  EXPECT_NEAR(cost->later.mid.count(), 10, 1e-9);
  EXPECT_NEAR(cost->later.low.count(), 7.5, 1e-9);
  EXPECT_NEAR(cost->later.high.count(), 11.5, 1e-9);
  EXPECT_NEAR(cost->first.mid.count(), 10.8, 1e-9);
  EXPECT_EQ(cost->why, "from 2 short validations of 800 samples, scaled to 10000");
}

TEST(ValidationCost, OneShortOneIsLessCertainDownwards) {
  const auto cost = cost_of(FakeLog().begin_epoch().lap(0.5).validation(0.5, 100), 1000);
  EXPECT_NEAR(cost->later.mid.count(), 5, 1e-9);
  EXPECT_NEAR(cost->later.low.count(), 3, 1e-9);
  EXPECT_NEAR(cost->first.mid.count(), 5, 1e-9);
}

}  // namespace
}  // namespace lapcast

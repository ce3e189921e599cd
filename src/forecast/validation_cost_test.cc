#include "forecast/validation_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"
#include "forecast/forecast.h"
#include "forecast/lap_profiler.h"
#include "forecast/lap_series.h"

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
  EXPECT_DOUBLE_EQ(cost->later.mid.count(), 1.6);
  EXPECT_DOUBLE_EQ(cost->later.low.count(), 0.4);
  EXPECT_DOUBLE_EQ(cost->later.high.count(), 2.4);
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

// Two short validations are as the supervisor asks for them: 200 samples in 1 s (the first is slow)
// and 800 in 0.8 s, so 1 ms each; 10,000 take 10 s, the first of them 0.8 s more.
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

using testing::HasSubstr;

/// Returns the profile of a slow machine with laps of 1 s on 100 samples and validations of 3 and 2
/// s on 400.
LapProfile slow_machine() {
  FakeLog fake;
  for (int epoch = 1; epoch <= 4; ++epoch) {
    fake.begin_epoch().laps(20, 1).end_epoch();
    if (epoch % 2 == 0) fake.validation(epoch == 2 ? 3 : 2, 400);
  }
  return *profile_of(fake.begin_epoch().lap(1).log, {});
}

LapProfile fast_probe() {
  FakeLog fake;
  fake.plan(
      {.epochs = 10, .iterations_per_epoch = 20, .batch_size = 100, .training_samples = 2000});
  return *profile_of(fake.begin_epoch().laps(15, 0.1).log, {});
}

// A validated sample takes 3/400 s, later 2/400 s on the slow machine, and a trained one 1/100 s.
TEST(CarriedValidation, IsARatio) {
  const auto elsewhere = validation_ratio(slow_machine(), "run 1 on slow");
  ASSERT_TRUE(elsewhere);
  EXPECT_NEAR(elsewhere->first_ratio, 0.75, 1e-9);
  EXPECT_NEAR(elsewhere->later_ratio, 0.5, 1e-9);
  EXPECT_EQ(elsewhere->schedule.every, 2);
}

// On the fast machine a trained sample takes 1 ms: 400 validated ones take 0.2 s, the first time
// 0.3 s.
TEST(CarriedValidation, AtThePaceOfTheLapsHere) {
  LapProfile probe = fast_probe();
  ASSERT_FALSE(probe.validation);
  carry_validation(probe, *validation_ratio(slow_machine(), "run 1 on slow"), 0);
  ASSERT_TRUE(probe.validation);
  EXPECT_NEAR(probe.validation->first.mid.count(), 0.3, 1e-9);
  EXPECT_NEAR(probe.validation->later.mid.count(), 0.2, 1e-9);
  EXPECT_NEAR(probe.validation->later.low.count(), 0.2 * 0.48, 1e-9);
  EXPECT_NEAR(probe.validation->later.high.count(), 0.2 * 2.08, 1e-9);
  EXPECT_EQ(probe.validation->provenance, Provenance::predicted);
  EXPECT_THAT(probe.validation->why, HasSubstr("carried over from run 1 on slow"));
  // Validations come after epochs 2, 4, 6, 8 and 10, as on the slow machine: 0.3 + 4 * 0.2.
  const auto result = forecast(probe, *plan_of({}, probe));
  EXPECT_NEAR(result->parts[3].time.mid.count(), 1.1, 1e-9);
  EXPECT_EQ(result->parts[3].provenance, Provenance::predicted);
}

TEST(CarriedValidation, ForAsManySamplesAsHere) {
  LapProfile probe = fast_probe();
  carry_validation(probe, *validation_ratio(slow_machine(), ""), 800);
  EXPECT_EQ(probe.validation->samples, 800);
  EXPECT_NEAR(probe.validation->later.mid.count(), 0.4, 1e-9);
}

TEST(CarriedValidation, WhatWasSeenHereStays) {
  const auto elsewhere = validation_ratio(slow_machine(), "");
  LapProfile seen = slow_machine();
  carry_validation(seen, *elsewhere, 0);
  EXPECT_EQ(seen.validation->provenance, Provenance::measured);
  LapProfile no_samples = *profile_of(FakeLog().laps(15, 0.1, 0).log, {});
  carry_validation(no_samples, *elsewhere, 0);
  EXPECT_FALSE(no_samples.validation);
}

// The source validates after every second epoch; two epochs without one say that this training has
// none.
TEST(CarriedValidation, NotToATrainingThatWouldHaveShownOne) {
  FakeLog fake;
  for (int epoch = 0; epoch < 2; ++epoch) fake.begin_epoch().laps(20, 0.1).end_epoch();
  LapProfile probe = *profile_of(fake.begin_epoch().lap(0.1).log, {});
  carry_validation(probe, *validation_ratio(slow_machine(), ""), 0);
  EXPECT_FALSE(probe.validation);
  carry_validation(probe, *validation_ratio(slow_machine(), ""), 400);  // it says so
  EXPECT_TRUE(probe.validation);
}

TEST(CarriedValidation, NothingToCarry) {
  EXPECT_FALSE(validation_ratio(fast_probe(), ""));
  FakeLog guessed;  // by the forward share only
  guessed.plan({.validation_samples = 100}).laps(15, 0.1);
  EXPECT_FALSE(validation_ratio(*profile_of(guessed.log, {}), ""));
}

/// Makes a run with init of 2 s and 4 epochs of 20 laps of 0.5 s; after each comes a validation of
/// 3 s beside 5 laps of 0.6 s of the next epoch. The last one is waited for: 2 + 40 + 3 * 5 * 0.1 +
/// 3 s.
FakeLog training() {
  FakeLog fake;
  fake.plan({.epochs = 4,
             .iterations_per_epoch = 20,
             .batch_size = 100,
             .training_samples = 2000,
             .validation_samples = 400});
  for (int epoch = 1; epoch <= 4; ++epoch) {
    fake.begin_epoch();
    if (epoch > 1) fake.laps(5, 0.6).end_validation();
    fake.laps(epoch > 1 ? 15 : 20, 0.5).end_epoch().begin_validation(400);
  }
  fake.idle(3).end_validation();
  return fake;
}
constexpr double kTrainingSeconds = 46.5;

TEST(OverlappedValidation, IsNoPause) {
  const FakeLog fake = training();
  const LapRange beside = laps_beside(fake.log, fake.log.validations[0]);
  EXPECT_EQ(beside.first, 20u);
  EXPECT_EQ(beside.end, 25u);
  EXPECT_TRUE(laps_beside(fake.log, fake.log.validations[3]).empty());
  const Series series(fake.log);
  EXPECT_NEAR(series.costs[21], 0.6, 1e-9);  // and not nothing
  EXPECT_NEAR(mean_of(series).whole.mid, 0.5, 1e-9);
}

TEST(OverlappedValidation, CostsWhatLapsBesideItTakeLonger) {
  const LapProfile profile = *profile_of(training().log, {});
  ASSERT_TRUE(profile.validation && profile.validation->last_alone);
  // The first lap of an epoch is overhead, so 4 laps of the 5 count.
  EXPECT_NEAR(profile.validation->later.mid.count(), 0.4, 1e-9);
  EXPECT_NEAR(profile.validation->last_alone->mid.count(), 3, 1e-9);
  EXPECT_EQ(profile.validation->observed, 3);
}

TEST(OverlappedValidation, OfAWholeTrainingIsThatTraining) {
  const FakeLog fake = training();
  EXPECT_NEAR(fake.now(), kTrainingSeconds, 1e-6);
  const LapProfile profile =
      *profile_of(fake.log, {.ended_by_itself = true, .wall = Seconds{kTrainingSeconds}});
  EXPECT_NEAR(forecast(profile, *plan_of({}, profile))->total.mid.count(), kTrainingSeconds, 1e-6);
}

// Where most laps run beside validations they cannot be told from others, and all of them count.
TEST(OverlappedValidation, AlwaysUnderWay) {
  FakeLog fake;
  fake.laps(5, 0.5);
  for (int i = 0; i < 4; ++i) fake.begin_validation(400).laps(10, 0.6).end_validation();
  const Series series(fake.lap(0.5).log);
  EXPECT_EQ(series.full.seconds.size(), fake.log.laps.size());
}

TEST(OverlappedValidation, NoneIsNothing) {
  const FakeLog fake = whole_training();
  EXPECT_FALSE(overlapped_cost(Series(fake.log), 400, {}));
}

// 10.2 s before the first lap were spent compiling; a later one took 0.15 s.
TEST(ValidationCost, OneBeforeTheFirstLapMayHaveCompiled) {
  FakeLog fake;
  fake.validation(10.2, 0).laps(30, 0.025);
  const LapProfile profile = *profile_of(fake.log, RunFacts{});
  const auto cost = validation_cost(fake.log, 0, profile.steady);
  ASSERT_TRUE(cost);
  EXPECT_TRUE(cost->later.contains(Seconds{0.15}));
  EXPECT_TRUE(cost->later.contains(Seconds{10.2}));
  EXPECT_LT(cost->later.mid, Seconds{5});
}

}  // namespace
}  // namespace lapcast

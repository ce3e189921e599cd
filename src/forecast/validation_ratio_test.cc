#include "forecast/validation_ratio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"
#include "forecast/forecast.h"

namespace lapcast {
namespace {

using testing::HasSubstr;

/// A slow machine: laps of 1 s on 100 samples, validations of 3 and 2 s on 400.
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

// A validated sample takes 3/400, later 2/400 s there, a trained one 1/100.
TEST(CarriedValidation, IsARatio) {
  const auto elsewhere = validation_ratio(slow_machine(), "run 1 on slow");
  ASSERT_TRUE(elsewhere);
  EXPECT_NEAR(elsewhere->first_ratio, 0.75, 1e-9);
  EXPECT_NEAR(elsewhere->later_ratio, 0.5, 1e-9);
  EXPECT_EQ(elsewhere->schedule.every, 2);
}

// Here a trained sample takes 1 ms: 400 validated ones 0.2 s, the first time 0.3 s.
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
  // After epochs 2, 4, 6, 8 and 10, as there: 0.3 + 4 * 0.2.
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

// There after every second epoch; here two were seen through without: this training has none.
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

}  // namespace
}  // namespace lapcast

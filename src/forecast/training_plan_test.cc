#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/forecast.h"

namespace lapcast {
namespace {

using testing::HasSubstr;

LapProfile mnist() {
  LapProfile profile;
  profile.steady.samples_per_lap = 128;
  profile.reported = {.epochs = 12,
                      .iterations_per_epoch = 469,
                      .batch_size = 128,
                      .training_samples = 60000,
                      .validation_samples = 10000};
  return profile;
}

TEST(PlanOf, TakesWhatTheProgramReported) {
  const auto plan = plan_of({}, mnist());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->epochs, 12);
  EXPECT_EQ(plan->validation_samples, 10000);
  EXPECT_EQ(plan->iterations_per_epoch, 469);
  EXPECT_DOUBLE_EQ(laps_per_epoch(*plan), 468.75);  // the last batch counts by its samples
  EXPECT_DOUBLE_EQ(laps_of(*plan), 5625);
}

TEST(PlanOf, NumbersThatNoTableCanShowAreRefused) {
  EXPECT_TRUE(plan_of({.epochs = 1'000'000'000'000'000}, mnist()));
  EXPECT_EQ(plan_of({.epochs = 1'000'000'000'000'001}, mnist()).error().text,
            "a plan of more than 10^15 epochs cannot be forecast");
  LapProfile tiny = mnist();
  tiny.steady.samples_per_lap = 1e-300;  // 6e304 iterations of an epoch
  EXPECT_EQ(plan_of({.training_samples = 60000}, tiny).error().text,
            "a plan of more than 10^15 iterations of an epoch cannot be forecast");
}

TEST(PlanOf, TheUserWins) {
  const auto plan =
      plan_of({.epochs = 5, .training_samples = 1000, .validation_samples = 50}, mnist());
  EXPECT_EQ(plan->epochs, 5);
  EXPECT_EQ(plan->iterations_per_epoch, 8);
  EXPECT_DOUBLE_EQ(laps_per_epoch(*plan), 7.8125);
  EXPECT_EQ(plan->validation_samples, 50);
}

TEST(PlanOf, DroppedLastBatchStaysDropped) {
  LapProfile drops = mnist();
  drops.reported.iterations_per_epoch = 468;
  EXPECT_DOUBLE_EQ(laps_per_epoch(*plan_of({}, drops)), 468);
  EXPECT_DOUBLE_EQ(laps_per_epoch(*plan_of({.training_samples = 1000}, drops)), 7);
}

// 300 batches of 128 are 38,400 of the 60,000 samples.
TEST(PlanOf, AnEpochThatTheProgramCutsStaysCut) {
  LapProfile cut = mnist();
  cut.reported.iterations_per_epoch = 300;
  const auto plan = plan_of({}, cut);
  EXPECT_DOUBLE_EQ(laps_per_epoch(*plan), 300);
  EXPECT_EQ(plan->training_samples, 38400);
  EXPECT_DOUBLE_EQ(laps_per_epoch(*plan_of({.training_samples = 1000}, cut)), 7);
}

TEST(PlanOf, SaysWhoToldTheLength) {
  LapProfile profile = mnist();
  profile.reported.from = "epoch/12";
  EXPECT_EQ(plan_of({}, profile)->from, "`epoch/12` printed by the program");
  profile.reported.from = "len_x_//batch-x-epochs";
  EXPECT_EQ(plan_of({}, profile)->from, "`len_x_//batch-x-epochs` of the program");
}

TEST(PlanOf, StepsInsteadOfEpochs) {
  const auto plan = plan_of({.steps = 1000}, mnist());
  EXPECT_EQ(plan->epochs, 0);
  EXPECT_DOUBLE_EQ(laps_of(*plan), 1000);
  EXPECT_NEAR(epochs_of(*plan), 1000 / 468.75, 1e-12);
  EXPECT_THAT(plan_of({.epochs = 1, .steps = 1}, mnist()).error().text, HasSubstr("both"));
}

TEST(PlanOf, FromAnEpochThatWasSeen) {
  LapProfile seen;
  seen.laps_per_epoch = 30;
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({.epochs = 4}, seen)), 120);
}

TEST(PlanOf, TheCommandSaysWhatTheProgramDoesNot) {
  LapProfile seen;
  seen.laps_per_epoch = 30;
  seen.length = TrainingPlan{.epochs = 4, .from = "`--epochs 4` in its command"};
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({}, seen)), 120);
  EXPECT_EQ(plan_of({}, seen)->from, "`--epochs 4` in its command");
  EXPECT_EQ(plan_of({.epochs = 2}, seen)->from, "");
  EXPECT_EQ(plan_of({.epochs = 2}, seen)->epochs, 2);
  seen.reported.epochs = 9;
  EXPECT_EQ(plan_of({}, seen)->epochs, 9);
  EXPECT_EQ(plan_of({}, seen)->from, "");
  seen.reported.from = "args.epochs";
  EXPECT_EQ(plan_of({}, seen)->from, "`args.epochs` of the program");
}

// 4 epochs of 50 laps, resumed within epoch 3 after 130 laps: 20 laps of epoch 3, 50 of epoch 4.
TEST(PlanOf, WhatWasDoneBeforeIsTakenOff) {
  LapProfile resumed;
  resumed.reported = {.epochs = 4, .iterations_per_epoch = 50, .laps_done = 130};
  resumed.epochs_before = 2;
  const auto plan = plan_of({}, resumed);
  EXPECT_TRUE(is_resumed(*plan));
  EXPECT_EQ(plan->epochs, 4);
  EXPECT_EQ(plan->epochs_done, 2);
  EXPECT_DOUBLE_EQ(laps_of(*plan), 70);
  EXPECT_DOUBLE_EQ(epochs_of(*plan), 2);
  EXPECT_DOUBLE_EQ(boundaries_of(*plan), 1);
  EXPECT_DOUBLE_EQ(laps_of(whole_training(*plan)), 200);
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({.epochs = 10}, resumed)), 370);
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({.steps = 200}, resumed)), 70);
  resumed.epochs_before = 0;  // its epochs have no numbers
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({}, resumed)), 70);
}

TEST(PlanOf, NumbersOfEpochsTellWhatWasDone) {
  LapProfile resumed;
  resumed.laps_per_epoch = 1;
  resumed.epochs_before = 213;
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({.epochs = 1000}, resumed)), 787);
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({.steps = 1000}, resumed)), 787);
}

TEST(PlanOf, NotMoreThanWasDoneIsThePlanOfTheRunAlone) {
  LapProfile resumed;
  resumed.laps_per_epoch = 50;
  resumed.epochs_before = 9;
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({.epochs = 2}, resumed)), 100);
  EXPECT_FALSE(is_resumed(*plan_of({.epochs = 9}, resumed)));
  resumed.reported.laps_done = 450;
  EXPECT_DOUBLE_EQ(laps_of(*plan_of({.steps = 450}, resumed)), 450);
}

TEST(PlanOf, AValidationEveryFifthEpochCountsFromTheStartOfTheTraining) {
  LapProfile resumed;  // epochs 7 to 20: validations after 10, 15, 20
  resumed.laps_per_epoch = 30;
  resumed.epochs_before = 6;
  const auto plan = plan_of({.epochs = 20, .validate_every = 5}, resumed);
  EXPECT_EQ(validations_of(resumed, *plan), Interval<double>::exactly(3));
}

TEST(PlanOf, ReasonsWhenNotKnown) {
  EXPECT_THAT(plan_of({}, LapProfile{}).error().text, HasSubstr("how long to train"));
  EXPECT_THAT(plan_of({.epochs = 3}, LapProfile{}).error().text, HasSubstr("how many laps"));
  EXPECT_EQ(laps_of(TrainingPlan{}), 0);
  EXPECT_EQ(epochs_of(TrainingPlan{}), 0);
}

}  // namespace
}  // namespace lapcast

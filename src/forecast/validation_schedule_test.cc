#include "forecast/validation_schedule.h"

#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"

namespace lapcast {
namespace {

/// Makes epochs of 5 laps, and one lap more; validations come after those that `validates` says.
template <class Validates>
ValidationSchedule seen(int epochs, Validates validates) {
  FakeLog fake;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    fake.begin_epoch().laps(5, 0.5).end_epoch();
    if (validates(epoch)) fake.validation(1, 100);
  }
  return schedule_of(fake.lap(0.5).log, 100, 5);
}

double count(const ValidationSchedule& schedule, double epochs) {
  return validations_in(schedule, epochs).mid;
}

TEST(ValidationSchedule, AfterEveryEpoch) {
  const auto schedule = seen(4, [](int) { return true; });
  EXPECT_TRUE(schedule.observed);
  EXPECT_EQ(validations_in(schedule, 10), Interval<double>::exactly(10));
  EXPECT_EQ(describe(schedule), "after every epoch");
}

TEST(ValidationSchedule, Periodic) {
  const auto schedule = seen(9, [](int epoch) { return epoch % 4 == 0; });
  EXPECT_EQ(schedule.first, 4);
  EXPECT_EQ(schedule.every, 4);
  EXPECT_EQ(count(schedule, 3), 0);
  EXPECT_EQ(count(schedule, 9), 2);  // a rate of 2 in 9 epochs would say 22.2 in 100
  EXPECT_EQ(count(schedule, 100), 25);
  EXPECT_EQ(describe(schedule), "after every 4 epochs");
}

TEST(ValidationSchedule, Late) {
  const auto schedule = seen(17, [](int epoch) { return epoch >= 12 && (epoch - 12) % 2 == 0; });
  EXPECT_EQ(schedule.first, 12);
  EXPECT_EQ(schedule.every, 2);
  EXPECT_EQ(count(schedule, 20), 5);  // 12, 14, 16, 18, 20
  EXPECT_EQ(describe(schedule), "after every 2 epochs, the first after epoch 12");
}

// One validation after epoch 3 of 4 may be followed by those after 6, 9 ...; at most one comes
// after every second epoch.
TEST(ValidationSchedule, OneAloneIsAGuess) {
  const auto schedule = seen(4, [](int epoch) { return epoch == 3; });
  EXPECT_EQ(validations_in(schedule, 13), (Interval<double>{1, 4, 6}));
}

TEST(ValidationSchedule, NoneSoFarWillComeLate) {
  const auto schedule = seen(4, [](int) { return false; });
  EXPECT_EQ(schedule.quiet_for, 4);
  EXPECT_EQ(validations_in(schedule, 4), Interval<double>::exactly(0));
  EXPECT_EQ(validations_in(schedule, 20), (Interval<double>{0, 1, 4}));
}

// The program announced one after epoch 1, then after every four epochs: 1, 5, 9 of 10 epochs.
TEST(ValidationSchedule, AsAnnouncedUntilTwoWereSeen) {
  FakeLog fake;
  fake.plan({.validate_every = 4, .validate_from = 1});
  fake.begin_epoch().laps(2, 0.5).end_epoch().begin_epoch().laps(1, 0.5);
  EXPECT_EQ(count(schedule_of(fake.log, 100, 2), 10), 3) << "none came after epoch 1: 2, 6, 10";
  FakeLog as_said;
  as_said.plan({.validate_every = 4, .validate_from = 1});
  as_said.begin_epoch().laps(2, 0.5).end_epoch().validation(1, 100).begin_epoch().laps(1, 0.5);
  EXPECT_EQ(count(schedule_of(as_said.log, 100, 2), 10), 3);
  as_said.laps(1, 0.5).end_epoch().validation(1, 100).begin_epoch().laps(1, 0.5);
  EXPECT_EQ(count(schedule_of(as_said.log, 100, 2), 10), 10) << "seen after every epoch";
}

TEST(ValidationSchedule, WithinEpochsByTheirSpacing) {
  FakeLog fake;
  fake.begin_epoch();
  for (int i = 0; i < 3; ++i) fake.laps(10, 0.5).validation(1, 100);
  const auto schedule = schedule_of(fake.log, 100, 50);
  EXPECT_EQ(count(schedule, 4), 20);
  EXPECT_EQ(describe(schedule), "about 5 times an epoch");
}

// Two validations after 20 and 40 of 200 laps: one after every 20.
TEST(ValidationSchedule, FewAreEnoughInTheFirstEpoch) {
  FakeLog fake;
  fake.begin_epoch();
  for (int i = 0; i < 2; ++i) fake.laps(20, 0.5).validation(1, 100);
  EXPECT_EQ(count(schedule_of(fake.log, 100, 200), 0.5), 5);
  fake.plan({.answers_requests = 1});  // they may have been asked for
  EXPECT_EQ(schedule_of(fake.log, 100, 200), ValidationSchedule{});
}

// One after step 0 and 57 laps without another: one in 58 laps at most, and the guess lies between
// that and once an epoch: sqrt(58 x 200) = 107.703 laps.
TEST(ValidationSchedule, OneAtStep0TellsLittle) {
  FakeLog fake;
  fake.begin_epoch().laps(1, 0.5).validation(1, 100).laps(57, 0.5);
  const Interval<double> in_three = validations_in(schedule_of(fake.log, 100, 200), 3);
  EXPECT_EQ(in_three.low, 1);
  EXPECT_NEAR(in_three.mid, 600 / 107.703, 1e-3);
  EXPECT_NEAR(in_three.high, 600 / 58.0, 1e-9);
  fake.laps(93, 0.5).validation(1, 100);  // the second one after 151: 150 laps apart
  EXPECT_EQ(count(schedule_of(fake.log, 100, 200), 3), 4);
  FakeLog in_laps;
  in_laps.laps(1, 0.5).validation(1, 100).laps(57, 0.5);
  EXPECT_EQ(validations_in(schedule_of(in_laps.log, 100, 0), 581), (Interval<double>{1, 11, 11}));
}

TEST(ValidationSchedule, InLapsWithoutEpochs) {
  FakeLog fake;
  fake.validation(2, 0).laps(250, 0.1);
  for (int i = 0; i < 3; ++i) fake.validation(2, 0).laps(250, 0.1);
  const auto schedule = schedule_of(fake.log, 0, 0);
  EXPECT_TRUE(schedule.in_laps);
  EXPECT_EQ(validations_in(schedule, 5000), Interval<double>::exactly(20));
  EXPECT_EQ(describe(schedule), "after every 250 laps");
  EXPECT_EQ(count(with_declared(schedule, 500, 0), 5000), 10);  // 250 is the first: 250, 750 ...
}

// One after lap 40 of 50: no more than one after every 40 laps, and perhaps no other.
TEST(ValidationSchedule, OneAloneInLapsIsAGuess) {
  FakeLog fake;
  fake.laps(40, 0.1).validation(2, 0).laps(10, 0.1);
  EXPECT_EQ(validations_in(schedule_of(fake.log, 0, 0), 400), (Interval<double>{1, 10, 10}));
}

// One before the first of 40 laps: others may come after 41 laps or more.
TEST(ValidationSchedule, OneBeforeTheFirstLapShowsThatMoreMayCome) {
  FakeLog fake;
  fake.validation(2, 0).laps(40, 0.1);
  const auto schedule = schedule_of(fake.log, 0, 0);
  EXPECT_TRUE(schedule.is_quiet());
  EXPECT_EQ(validations_in(schedule, 410), (Interval<double>{0, 1, 10}));
  EXPECT_EQ(validations_in(with_declared(schedule, 100, 0), 410), Interval<double>::exactly(4));
}

TEST(ValidationSchedule, TooLittleSeenIsTakenForEveryEpoch) {
  EXPECT_EQ(schedule_of(LapLog{}, 100, 5), ValidationSchedule{});
  const auto one = seen(1, [](int) { return false; });
  EXPECT_EQ(one.quiet_for, 1);
  EXPECT_EQ(count(one, 10), 10);
}

TEST(ValidationSchedule, EvenlySpread) {
  EXPECT_EQ(count(evenly_spread(0), 100), 0);
  EXPECT_EQ(count(evenly_spread(1), 7), 7);
  EXPECT_EQ(count(evenly_spread(5 / 41.0), 41), 5);
  EXPECT_EQ(count(evenly_spread(2.5), 4), 10);
}

TEST(ValidationSchedule, TheUserKnowsBetter) {
  const ValidationSchedule usual;
  EXPECT_EQ(with_declared(usual, 0, 0), usual);
  EXPECT_EQ(count(with_declared(usual, 5, 0), 22), 4);                 // 5, 10, 15, 20
  EXPECT_EQ(count(with_declared(usual, 5, 12), 22), 3);                // 12, 17, 22
  EXPECT_EQ(count(with_declared(usual, 0, 12), 22), 11);               // 12 to 22
  const auto odd = seen(6, [](int epoch) { return epoch % 2 == 1; });  // 1, 3, 5
  EXPECT_EQ(count(with_declared(odd, 4, 0), 9), 3);                    // 1, 5, 9
  EXPECT_EQ(count(with_declared(usual, 5, 0, 6), 14), 3);   // of epochs 7 to 20: 10, 15, 20
  EXPECT_EQ(count(with_declared(usual, 5, 12, 3), 19), 3);  // of epochs 4 to 22: 12, 17, 22
  const auto none = seen(4, [](int) { return false; });
  EXPECT_EQ(validations_in(with_declared(none, 10, 0), 20), Interval<double>::exactly(2));
}

}  // namespace
}  // namespace lapcast

#include "forecast/run_under_way.h"

#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"

namespace lapcast {
namespace {

/// The forecast when the log has just got its last event.
Interval<Seconds> forecast_of(const LapLog& log, const RequestedPlan& asked, double elapsed,
                              double before_log = 0) {
  RunFacts facts;
  facts.before_log = Seconds{before_log};
  const LapProfile profile = profile_of(log, facts).value();
  const TrainingPlan plan = plan_of(asked, profile).value();
  return forecast_under_way(profile, plan, log, {Seconds{elapsed}, Seconds{before_log}}).value();
}

// Init 2 s, 40 laps of 1 s: 42 s. Left are 60 laps and a tear-down of 5 % of init (0 to 50 %):
// 60.1 s, spread by 1.96 * 2 % = 2.356 s.
TEST(RunUnderWay, IsWhatWasAndWhatIsLeft) {
  const LapLog log = FakeLog(2).laps(40, 1).log;
  const auto total = forecast_of(log, {.steps = 100}, 42);
  EXPECT_NEAR(total.mid.count(), 102.1, 1e-6);
  EXPECT_NEAR(total.low.count(), 102.1 - std::hypot(0.1, 2.35588), 1e-3);
  EXPECT_NEAR(total.high.count(), 102.1 + std::hypot(0.9, 2.35588), 1e-3);
}

TEST(RunUnderWay, TheTimeBeforeTheLogCounts) {
  const LapLog log = FakeLog(2).laps(40, 1).log;
  const auto total = forecast_of(log, {.steps = 100}, 45, 3);  // init is 5 s
  EXPECT_NEAR(total.mid.count(), 45 + 60 + 0.25, 1e-6);
}

TEST(RunUnderWay, NarrowsUntilTheEnd) {
  double before = 1e9;
  for (const int laps : {20, 50, 90, 100}) {
    const LapLog log = FakeLog(2).laps(laps, 1).log;
    const auto total = forecast_of(log, {.steps = 100}, 2 + laps);
    EXPECT_NEAR(total.mid.count(), 102.1, 1e-6);
    EXPECT_LT((total.high - total.low).count(), before);
    before = (total.high - total.low).count();
  }
  EXPECT_LT(before, 1.1);  // only the tear-down is left
}

TEST(RunUnderWay, IsNeverBelowTheTimeThatHasPassed) {
  const LapLog log = FakeLog(2).laps(100, 1).log;
  const auto total = forecast_of(log, {.steps = 100}, 200);
  EXPECT_EQ(total, (Interval<Seconds>::exactly(Seconds{200})));
}

// The few laps that are left scatter more than their mean is uncertain: of 400 laps of 0.9 and 1.1
// s in turn, 4 more take 4 s, and the interval must hold 3.6 and 4.4.
TEST(RunUnderWay, TheScatterOfTheLastLapsCounts) {
  FakeLog fake(2);
  for (int i = 0; i < 400; ++i) fake.lap(i % 7 < 3 ? 0.9 : 1.1);
  const double now = fake.now();
  const auto total = forecast_of(fake.log, {.steps = 404}, now);
  EXPECT_LT(total.low.count(), now + 3.75);
  EXPECT_GT(total.high.count(), now + 4.35);
}

// The whole training takes 40.75 s; this is it within its second epoch.
TEST(RunUnderWay, PartsThatAreDoneAreNotCountedAgain) {
  FakeLog fake;
  fake.plan({.epochs = 3,
             .iterations_per_epoch = 20,
             .batch_size = 100,
             .training_samples = 2000,
             .validation_samples = 400});
  fake.begin_epoch().lap(4.5).laps(19, 0.5).end_epoch();
  fake.validation(1.5, 400).checkpoint(0.25).idle(0.1).begin_epoch().laps(10, 0.5);
  const auto total = forecast_of(fake.log, {}, fake.now());
  EXPECT_NEAR(total.mid.count(), kWholeTrainingSeconds, 0.02 * kWholeTrainingSeconds);
  EXPECT_TRUE(total.contains(Seconds{kWholeTrainingSeconds}));
}

TEST(RunUnderWay, AtTheEndOnlyTheTearDownIsLeft) {
  const LapLog log = whole_training().log;
  const auto total = forecast_of(log, {}, from_ns(log.last_ns).count());
  EXPECT_NEAR(total.mid.count(), from_ns(log.last_ns).count() + 0.05 * 2, 1e-6);
}

// Epochs 4 and 5 of 5: 20 laps of 1 s in all, 5 of them done.
TEST(RunUnderWay, AResumedRunHasOnlyTheRestToDo) {
  FakeLog fake(2);
  fake.plan({.epochs = 5, .iterations_per_epoch = 10, .batch_size = 100, .training_samples = 1000});
  fake.begin_epoch().laps(5, 1);
  fake.log.epochs.front().epoch = 4;
  const auto total = forecast_of(fake.log, {}, 7);
  const double boundary = 0.25;  // a quarter of a lap
  EXPECT_NEAR(total.mid.count(), 7 + 15 + boundary + 0.1, 1e-6);
}

TEST(RunUnderWay, AnUnknownValidationIsAReason) {
  const LapLog log = FakeLog(2).plan({.steps = 100}).laps(20, 1, 0).log;
  const LapProfile profile = profile_of(log, {}).value();
  const TrainingPlan plan{.steps = 100, .validation_samples = 500};
  EXPECT_FALSE(forecast_under_way(profile, plan, log, {Seconds{22}}));
}

}  // namespace
}  // namespace lapcast

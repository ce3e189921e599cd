#include "forecast/overlapped_validation.h"

#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"
#include "forecast/forecast.h"
#include "forecast/lap_series.h"

namespace lapcast {
namespace {

/// Init 2 s, 4 epochs of 20 laps of 0.5 s; after each a validation of 3 s beside 5 laps of 0.6 s of
/// the next epoch. The last one is waited for: 2 + 40 + 3 * 5 * 0.1 + 3 s.
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
  // The first lap of an epoch is overhead: 4 laps of the 5.
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

// Laps of which most run beside validations cannot be told from others: all of them count.
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

}  // namespace
}  // namespace lapcast

#include "forecast/epoch_line.h"

#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"

namespace lapcast {
namespace {

// Per epoch 10 s of laps, 1 s validation, 0.25 s checkpoint, 0.1 s boundary; fixed 2 s init, 4 s
// warm-up, 0.5 s that the first validation takes longer, 0.3 s tear-down, one boundary less.
TEST(EpochLine, ByHandAndThroughEveryForecast) {
  const LapProfile profile = *profile_of(
      whole_training().log, {.ended_by_itself = true, .wall = Seconds{kWholeTrainingSeconds}});
  TrainingPlan plan = *plan_of({}, profile);
  const auto line = epoch_line(profile, plan);
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->per_epoch_s, 11.35, 1e-6);
  EXPECT_NEAR(line->fixed_s, 6.7, 1e-6);
  for (std::int64_t epochs : {1, 2, 7, 100}) {
    plan.epochs = epochs;
    EXPECT_NEAR(line->at(static_cast<double>(epochs)), forecast(profile, plan)->total.mid.count(),
                1e-6);
  }
}

TEST(EpochLine, WarmUpLongerThanAnEpoch) {
  FakeLog fake;
  fake.laps(12, 2).laps(30, 0.5);
  const LapProfile profile = *profile_of(fake.log, {});
  TrainingPlan plan{.epochs = 20, .training_samples = 500, .batch_size = 100};
  const auto line = epoch_line(profile, plan);
  EXPECT_NEAR(line->at(20), forecast(profile, plan)->total.mid.count(), 1e-6);
}

TEST(EpochLine, NeedsTheLapsOfAnEpoch) {
  const LapProfile profile = *profile_of(FakeLog().laps(12, 2).log, {});
  EXPECT_FALSE(epoch_line(profile, TrainingPlan{.steps = 20}));
}

}  // namespace
}  // namespace lapcast

#include "history/epochs_assessment.h"

#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profiler.h"

namespace lapcast {
namespace {

/// Returns the assessment of whole_training(), which takes 6.7 s and 11.35 s per epoch, for so many
/// epochs.
Assessment assessed(std::int64_t epochs) {
  const LapProfile profile = *profile_of(
      whole_training().log, {.ended_by_itself = true, .wall = Seconds{kWholeTrainingSeconds}});
  TrainingPlan plan = *plan_of({}, profile);
  plan.epochs = epochs;
  return {profile, plan, forecast(profile, plan)};
}

EpochsNeeded needed_of(std::initializer_list<double> samples, double horizon) {
  EpochsNeeded needed{.horizon = horizon};
  for (const double epochs : samples)
    needed.samples.add(epochs, 1.0 / static_cast<double>(samples.size()));
  needed.epochs = {needed.samples.quantile(0.025), needed.samples.quantile(0.5),
                   needed.samples.quantile(0.975)};
  return needed;
}

TEST(TimeUntil, IsTheForecastWhereTheEpochsAreKnown) {
  const Assessment assessment = assessed(10);
  const auto time = time_until(needed_of({10}, 10), assessment);
  ASSERT_TRUE(time);
  const Interval<Seconds>& total = assessment.forecast->total;
  EXPECT_NEAR(time->mid.count(), 6.7 + 10 * 11.35, 1e-6);
  EXPECT_NEAR(time->low / total.low, 1, 0.01);  // 41 shares of its normal distribution
  EXPECT_NEAR(time->high / total.high, 1, 0.01);
}

TEST(TimeUntil, SpansTheEpochsWhereTheyAreNot) {
  Assessment assessment = assessed(10);
  assessment.forecast->total = Interval<Seconds>::exactly(assessment.forecast->total.mid);
  const auto time = time_until(needed_of({8, 10, 20}, 100), assessment);
  EXPECT_NEAR(time->low.count(), 6.7 + 8 * 11.35, 1e-6);
  EXPECT_NEAR(time->mid.count(), 6.7 + 10 * 11.35, 1e-6);
  EXPECT_NEAR(time->high.count(), 6.7 + 20 * 11.35, 1e-6);
}

TEST(TimeUntil, CountsWhatIsNotReachedToTheHorizon) {
  const EpochsNeeded needed = needed_of({8, kNever, kNever}, 30);
  EXPECT_EQ(epochs_to_plan(needed), 30);
  Assessment assessment = assessed(30);
  assessment.forecast->total = Interval<Seconds>::exactly(assessment.forecast->total.mid);
  const auto time = time_until(needed, assessment);
  EXPECT_NEAR(time->low.count(), 6.7 + 8 * 11.35, 1e-6);
  EXPECT_NEAR(time->high.count(), 6.7 + 30 * 11.35, 1e-6);
}

RunContext context(std::vector<std::string> program,
                   std::map<std::string, std::string> settings = {}) {
  return {.program = std::move(program), .settings = std::move(settings)};
}

TEST(SameProgram, MachineAndBatchSizeDoNotMatter) {
  RunContext a = context({"train", "--batch", "{batch}"}, {{"batch", "64"}, {"lr", "0.1"}});
  RunContext b = context({"train", "--batch", "{batch}"}, {{"batch", "128"}, {"lr", "0.1"}});
  b.machine_type.name = "another";
  EXPECT_TRUE(are_same_program(a, b));
  b.settings["lr"] = "0.2";
  EXPECT_FALSE(are_same_program(a, b));
}

TEST(SameProgram, BatchSizesInTheArgumentsDoNotMatterEither) {
  EXPECT_TRUE(
      are_same_program(context({"train", "--batch", "64"}), context({"train", "--batch", "128"})));
  EXPECT_TRUE(are_same_program(context({"train", "--batch-size=64"}),
                               context({"train", "--batch-size=8"})));
  EXPECT_FALSE(are_same_program(context({"train", "--lr=64"}), context({"train", "--lr=8"})));
  EXPECT_FALSE(are_same_program(context({"train", "--batch=64", "1"}),
                                context({"train", "--batch=64", "2"})));
  EXPECT_FALSE(
      are_same_program(context({"train", "--batch=64"}), context({"train", "--batches=64"})));
  EXPECT_FALSE(are_same_program(context({"batch", "1"}), context({"batch", "2"})));
  EXPECT_FALSE(are_same_program(context({"train"}), context({"train", "--batch"})));
}

}  // namespace
}  // namespace lapcast

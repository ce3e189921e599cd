#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/imported.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 100 steps in 30 s, of which two evaluations take 5 s each: a step takes 0.2 s.
constexpr const char* kState = R"({
  "global_step": 100, "max_steps": 100, "train_batch_size": 16, "log_history": [
    {"epoch": 0.5, "loss": 1.5, "step": 50},
    {"epoch": 0.5, "eval_loss": 1.4, "eval_runtime": 5.0, "step": 50},
    {"epoch": 1.0, "loss": 1.2, "step": 100},
    {"epoch": 1.0, "eval_loss": 1.1, "eval_runtime": 5.0, "step": 100},
    {"epoch": 1.0, "step": 100, "train_loss": 1.3, "train_runtime": 30.0}]})";

TEST(TrainerState, SharesTheRuntimeAmongTheSteps) {
  const ImportedLog imported = import_trainer_state(kState, "out/trainer_state.json");
  EXPECT_TRUE(imported.problems.empty());
  ASSERT_EQ(imported.runs.size(), 1U);
  const auto& run = imported.runs[0];
  EXPECT_EQ(run.outcome, Outcome{outcome::Ended{}});
  EXPECT_NEAR(run.wall().count(), 30, 1e-9);
  EXPECT_EQ(run.context.settings.at("batch"), "16");
  const LapLog log = *laps_of(run);
  EXPECT_EQ(log.damage, std::nullopt);
  ASSERT_EQ(log.laps.size(), 100U);
  EXPECT_NEAR(log.laps[10].seconds().count(), 0.2, 1e-6);
  EXPECT_NEAR(log.laps[60].seconds().count(), 0.2, 1e-6);
  ASSERT_EQ(log.validations.size(), 2U);
  EXPECT_NEAR(log.validations[0].span.seconds().count(), 5, 1e-6);
  EXPECT_EQ(log.plan->steps, 100);
}

TEST(TrainerState, OfACheckpointHasNoTimes) {
  const auto run =
      import_trainer_state(R"({"global_step": 50, "log_history": [{"loss": 1, "step": 50}]})", "c")
          .runs.at(0);
  EXPECT_THAT(std::get<outcome::NoLaps>(run.outcome).why, HasSubstr("no train_runtime"));
  EXPECT_EQ(laps_of(run)->metrics.size(), 1U);
}

TEST(TrainerState, AnythingElseHasAReason) {
  for (const char* text : {"", "{}", "[1]", "{\"log_history\": 3", "null"})
    EXPECT_THAT(import_trainer_state(text, "x").problems,
                ElementsAre(HasSubstr("not a trainer_state.json")))
        << text;
  for (const char* text : {R"({"log_history": 3})", R"({"log_history": [1, {"step": -5}]})",
                           R"({"log_history": [{"train_runtime": 1e300, "step": 1e300}]})"})
    EXPECT_EQ(import_trainer_state(text, "x").runs.size(), 1U) << text;
}

}  // namespace
}  // namespace lapcast

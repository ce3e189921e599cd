#include "run/command_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapcast {
namespace {

/// Returns "20 epochs", "500 steps" or "nothing".
std::string length_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "train");
  const auto length = length_in_command(arguments);
  if (!length) return "nothing";
  return length->epochs > 0 ? std::to_string(length->epochs) + " epochs"
                            : std::to_string(length->steps) + " steps";
}

TEST(LengthInCommand, UsualFormsOfEpochs) {
  EXPECT_EQ(length_of({"--epochs", "20"}), "20 epochs");
  EXPECT_EQ(length_of({"--epochs=20"}), "20 epochs");
  EXPECT_EQ(length_of({"-epochs", "20"}), "20 epochs");
  EXPECT_EQ(length_of({"--num-train-epochs", "3.0"}), "3 epochs");
  EXPECT_EQ(length_of({"--Num_Epochs", "7"}), "7 epochs");
  EXPECT_EQ(length_of({"+trainer.max_epochs=10"}), "10 epochs");
  EXPECT_EQ(length_of({"epochs=4"}), "4 epochs");
}

TEST(LengthInCommand, UsualFormsOfSteps) {
  EXPECT_EQ(length_of({"--max-steps", "500"}), "500 steps");
  EXPECT_EQ(length_of({"--max_iters=600000"}), "600000 steps");
  EXPECT_EQ(length_of({"--iterations", "90"}), "90 steps");
}

TEST(LengthInCommand, TheLastOneOfANameCountsAndTwoNamesHaveToAgree) {
  EXPECT_EQ(length_of({"--epochs", "20", "--epochs", "5"}), "5 epochs");
  EXPECT_EQ(length_of({"--epochs", "20", "--max-epochs", "5"}), "nothing");
  EXPECT_EQ(length_of({"--epochs", "20", "--max-epochs", "20"}), "20 epochs");
}

TEST(LengthInCommand, StepsBesideEpochsMayBeThoseOfAnEpoch) {
  EXPECT_EQ(length_of({"--epochs", "20", "--steps", "100"}), "20 epochs");
  EXPECT_EQ(length_of({"--epochs", "20", "--max-steps", "100"}), "nothing");
  EXPECT_EQ(length_of({"--epochs", "20", "--max-steps", "-1"}), "20 epochs");
}

TEST(LengthInCommand, NothingElseIsTaken) {
  EXPECT_EQ(length_of({}), "nothing");
  EXPECT_EQ(length_of({"--epochs"}), "nothing");
  EXPECT_EQ(length_of({"epochs", "20"}), "nothing");
  EXPECT_EQ(length_of({"--epochs", "many"}), "nothing");
  EXPECT_EQ(length_of({"--epochs", "0"}), "nothing");
  EXPECT_EQ(length_of({"--epochs", "2.5"}), "nothing");
  EXPECT_EQ(length_of({"--epochs", "99999999999999999999"}), "nothing");
  EXPECT_EQ(length_of({"--warmup-epochs", "5", "--eval_iters", "9"}), "nothing");
  EXPECT_FALSE(length_in_command({}));
}

TEST(BatchInCommand, IsReplaced) {
  const std::vector<std::string> program{"python", "train.py", "--batch-size", "64", "lr=0.1"};
  const auto batch = batch_in_command(program);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->samples, 64);
  EXPECT_THAT(batch->program,
              testing::ElementsAre("python", "train.py", "--batch-size", "{batch}", "lr=0.1"));
  const auto joined = batch_in_command(std::vector<std::string>{"./train", "data.batch_size=32"});
  EXPECT_EQ(joined->program.back(), "data.batch_size={batch}");
  EXPECT_FALSE(batch_in_command(std::vector<std::string>{"./train", "--batches", "5"}));
  EXPECT_FALSE(batch_in_command(std::vector<std::string>{"./train", "--batch", "{batch}"}));
}

TEST(TrainingArguments, AreWithoutSeedOutputsAndFolders) {
  const std::vector<std::string> program{
      "/opt/suite/train", "--seed", "3",     "--lr=0.1", "--data", "/d/mnist/",
      "--epochs",         "6",      "--out", "a/b",      "--amp"};
  EXPECT_THAT(training_arguments(program),
              testing::ElementsAre("--amp", "--data mnist", "--epochs 6", "--lr 0.1", "train"));
  const std::vector<std::string> script{"python3", "x/train.py", "--epochs=6", "seed=1",
                                        "model.depth=3"};
  EXPECT_THAT(training_arguments(script),
              testing::ElementsAre("--epochs 6", "model.depth 3", "python3", "train.py"));
  EXPECT_TRUE(training_arguments({}).empty());
}

TEST(LengthInCommand, SaysWhereItWasFound) {
  const std::vector<std::string> program{"python", "train.py", "--epochs", "20"};
  EXPECT_EQ(length_in_command(program)->from, "`--epochs 20` in its command");
}

}  // namespace
}  // namespace lapcast

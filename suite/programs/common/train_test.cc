#include "common/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace lapcast::workloads {
namespace {

/// Records the calls of the loop and returns the given validation accuracies.
struct FakeTrainee {
  std::vector<std::string> calls;
  std::vector<int64_t> accuracy_percent = {50};
  size_t epoch = 0;
  Score score;

  Trainee trainee() {
    Trainee t;
    t.begin_epoch = [this](int64_t e) {
      epoch = static_cast<size_t>(e);
      calls.push_back("epoch " + std::to_string(e));
    };
    t.train = [this](int64_t first, int64_t count) {
      calls.push_back("train " + std::to_string(first) + "+" + std::to_string(count));
      score += Score{2.0 * static_cast<double>(count), count, count};
      return true;
    };
    t.take_training_score = [this] { return std::exchange(score, {}); };
    t.validate = [this](int64_t first, int64_t count) {
      calls.push_back("validate " + std::to_string(first) + "+" + std::to_string(count));
      const size_t i = std::min(epoch, accuracy_percent.size()) - 1;
      return Score{0, accuracy_percent[i], 100};
    };
    t.test = [this](int64_t first, int64_t count) {
      calls.push_back("test " + std::to_string(first) + "+" + std::to_string(count));
      return Score{0.5 * static_cast<double>(count), count - 1, count};
    };
    t.save = [this](const std::filesystem::path& file, const Progress& progress) {
      calls.push_back("save " + file.string() + " " + std::to_string(progress.epochs_done));
      return int64_t{1};
    };
    return t;
  }
};

using Calls = std::vector<std::string>;

TrainPlan small_plan() {
  TrainPlan plan;
  plan.epochs = 2;
  plan.batch = 4;
  plan.training_samples = 10;
  plan.validation_samples = 6;
  return plan;
}

TEST(Train, RunsEpochsWithPartialLastBatches) {
  FakeTrainee fake;
  std::ostringstream out;
  const TrainResult result = train(small_plan(), fake.trainee(), out);
  EXPECT_EQ(fake.calls, (Calls{"epoch 1", "train 0+4", "train 4+4", "train 8+2", "validate 0+4",
                               "validate 4+2", "epoch 2", "train 0+4", "train 4+4", "train 8+2",
                               "validate 0+4", "validate 4+2"}));
  EXPECT_EQ(result.progress.epochs_done, 2);
  EXPECT_EQ(out.str().find("epoch 1  loss 2.0000  accuracy 1.0000  val_loss 0.0000  "
                           "val_accuracy 0.5000  "),
            0u);
}

TEST(Train, StepsCountOverEpochsAndCutTheLast) {
  FakeTrainee fake;
  TrainPlan plan = small_plan();
  plan.steps = 4;
  plan.checkpoint_every = 1;
  std::ostringstream out;
  train(plan, fake.trainee(), out);
  EXPECT_EQ(fake.calls, (Calls{"epoch 1", "train 0+4", "train 4+4", "train 8+2", "validate 0+4",
                               "validate 4+2", "save checkpoint-1.pt 1", "epoch 2", "train 0+4",
                               "validate 0+4", "validate 4+2"}));
}

TEST(Train, StopsEarlyAndCheckpointsWhenDue) {
  FakeTrainee fake;
  fake.accuracy_percent = {60, 70, 65, 70, 80};
  TrainPlan plan = small_plan();
  plan.epochs = 9;
  plan.batch = 10;
  plan.checkpoint_every = 3;
  plan.run_dir = "run";
  plan.progress.early.patience = 2;
  std::ostringstream out;
  const TrainResult result = train(plan, fake.trainee(), out);
  EXPECT_TRUE(result.stopped_early);
  EXPECT_EQ(result.progress.epochs_done, 4);
  EXPECT_DOUBLE_EQ(result.progress.early.best, 0.7);
  EXPECT_EQ(std::count(fake.calls.begin(), fake.calls.end(), "save run/checkpoint-3.pt 3"), 1);
}

TEST(Train, GoesOnAfterTheEpochsDone) {
  FakeTrainee fake;
  TrainPlan plan = small_plan();
  plan.batch = 10;
  plan.progress.epochs_done = 1;
  std::ostringstream out;
  train(plan, fake.trainee(), out);
  EXPECT_EQ(fake.calls, (Calls{"epoch 2", "train 0+10", "validate 0+6"}));
}

TEST(Train, DoesNothingWhenAllIsDone) {
  FakeTrainee fake;
  TrainPlan plan = small_plan();
  plan.progress.epochs_done = 2;
  std::ostringstream out;
  EXPECT_EQ(train(plan, fake.trainee(), out).progress.epochs_done, 2);
  EXPECT_TRUE(fake.calls.empty());
}

TEST(Score, IsDefinedWithoutSamples) {
  EXPECT_EQ(Score{}.loss(), 0);
  EXPECT_EQ(Score{}.accuracy(), 0);
}

/// The loop goes over the batches of all replicas; this one's scores are a half of all.
TEST(Train, SumsWithOtherReplicasAfterEachEpoch) {
  FakeTrainee fake;
  TrainPlan plan = small_plan();
  plan.epochs = 1;
  plan.share = {1, 2};
  Trainee trainee = fake.trainee();
  trainee.settle = [&] { fake.calls.push_back("settle"); };
  trainee.sum = [](const Score& own) {
    return Score{2 * own.loss_sum, 2 * own.correct, 2 * own.samples};
  };
  std::ostringstream out;
  const TrainResult result = train(plan, trainee, out);
  EXPECT_EQ(fake.calls, (Calls{"epoch 1", "train 0+4", "train 4+4", "train 8+2", "settle",
                               "validate 0+4", "validate 4+2"}));
  EXPECT_EQ(result.validation.samples, 400);
  EXPECT_DOUBLE_EQ(result.validation.accuracy(), 0.5);
}

TEST(Share, SplitsBatchesAsEvenlyAsTheyCanBe) {
  const Share shares[] = {{0, 3}, {1, 3}, {2, 3}};
  int64_t next = 0;
  for (const Share& share : shares) {
    EXPECT_EQ(share.first_of(13), next);
    EXPECT_EQ(share.of(33), 11);
    next += share.of(13);
  }
  EXPECT_EQ(next, 13);
  EXPECT_EQ(shares[0].of(1) + shares[1].of(1), 0);
  EXPECT_EQ(shares[2].of(1), 1);
}

/// Two batches of 4 and 1 have 3 and 0 correct answers: 3 of 5.
TEST(Train, EvaluatesATestPartInsteadOfTheValidation) {
  FakeTrainee fake;
  std::ostringstream out;
  TrainPlan plan = small_plan();
  plan.epochs = 1;
  plan.evaluate = true;
  plan.test_samples = 5;
  train(plan, fake.trainee(), out);
  EXPECT_EQ(Calls(fake.calls.end() - 3, fake.calls.end()),
            (Calls{"validate 4+2", "test 0+4", "test 4+1"}));
  EXPECT_TRUE(out.str().ends_with("\ntest_loss 0.5000  test_accuracy 0.6000\n")) << out.str();
}

}  // namespace
}  // namespace lapcast::workloads

#include "history/training_work.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using testing::ElementsAre;

TEST(TrainingWork, IsLikeWithTheSameArgumentsAndAboutAsManySamples) {
  const TrainingWork work{{"--epochs 6", "train"}, 2000};
  EXPECT_TRUE(work.is_like({{"--epochs 6", "train"}, 2000}));
  EXPECT_TRUE(work.is_like({{"--epochs 6", "train"}, 1980}));
  EXPECT_FALSE(work.is_like({{"--epochs 6", "train"}, 1979}));
  EXPECT_FALSE(work.is_like({{"--epochs 6", "train"}, 600}));
  EXPECT_TRUE(work.is_like({{"--epochs 6", "train"}, 0}));  // it reported none
  EXPECT_FALSE(work.is_like({{"train"}, 2000}));
}

TEST(TrainingWork, HasTheSamplesOfTheFirstWholeEpoch) {
  lapcast::Run run;
  run.context.program = {"/opt/suite/train", "--seed", "{seed}", "--token", "abc"};
  run.lap_logs = {
      "lapcast-laps 1\n"
      "0 hello clock=1 wall=1790000000.1 pid=1 rank=0 world=1 host=box emitter=lap.h/1\n"
      "1000 epoch-begin 1\n2000 i 64\n3000 i 36\n4000 epoch-end 1\n"
      "5000 epoch-begin 2\n6000 i 64\n"};
  EXPECT_THAT(work_of(run).arguments, ElementsAre("--token ***", "train"));
  EXPECT_EQ(work_of(run).samples, 100);
  run.lap_logs[0] += "7000 plan epochs=2 train=120\n";
  EXPECT_EQ(work_of(run).samples, 120);
  run.lap_logs.clear();
  EXPECT_EQ(work_of(run).samples, 0);
}

TEST(TrainingWork, SaysWhatSetsItApart) {
  const std::vector<TrainingWork> works{{{"--epochs 6", "--lr 1", "train"}, 2000},
                                        {{"--lr 1", "--patience 5", "train"}, 600},
                                        {{"--lr 1", "train"}, 0}};
  EXPECT_THAT(differences(works),
              ElementsAre("--epochs 6, 2000 samples", "--patience 5, 600 samples", ""));
  const std::vector<TrainingWork> by_setting{{{"--epochs {epochs}", "train"}, 9}, {{"train"}, 9}};
  EXPECT_THAT(differences(by_setting), ElementsAre("", ""));
  const std::vector<TrainingWork> alike{{{"train"}, 1000}, {{"train"}, 1001}};
  EXPECT_THAT(differences(alike), ElementsAre("", ""));
}

}  // namespace
}  // namespace lapcast

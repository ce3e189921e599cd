#include "probe/probe_judge.h"

#include "probe/judge_fixture_test.h"

namespace lapcast {
namespace {

using ::testing::HasSubstr;

using ProbeJudgeTest = JudgeTest;

// 10 laps are enough, at 2.2 s. The other 15 of the epoch take 1.5 s.
TEST_F(ProbeJudgeTest, AProbeGoesOnWhereTheEpochIsNearlyOver) {
  laps_of_epoch_ = 25;
  const auto probe = probe_judge(request_, kStarted, stopped_clock);
  EXPECT_NEAR(stopped(*probe, 101).first, 3.6, 0.21);
}

TEST_F(ProbeJudgeTest, AProbeDoesNotWaitForALongEpoch) {
  laps_of_epoch_ = 60;
  const auto probe = probe_judge(request_, kStarted, stopped_clock);
  EXPECT_LE(stopped(*probe, 101).first, 2.6);
}

// Laps begin at 1 s, 25 of 100 ms are an epoch: the third one begins at 6 s, and its first lap
// tells it at 6.1 s.
TEST_F(ProbeJudgeTest, AProbeOfWholeEpochsGoesOnUntilTheNextOneBegins) {
  laps_of_epoch_ = 25;
  request_.limits.epochs = WholeEpochs{2};
  request_.limits.budget = Seconds{3};
  const auto probe = probe_judge(request_, kStarted, stopped_clock);
  const auto [end, outcome] = stopped(*probe, 101);
  EXPECT_NEAR(end, 6.1, 0.21);
  EXPECT_EQ(why(outcome), "enough: 2 whole epochs");
}

// The first lap is seen at 1.1 to 1.2 s; the budget counts from it.
TEST_F(ProbeJudgeTest, ABudgetOfTheUserEndsAProbeOfWholeEpochs) {
  laps_of_epoch_ = 25;
  request_.limits.epochs = WholeEpochs{2, true};
  request_.limits.budget = Seconds{3};
  const auto probe = probe_judge(request_, kStarted, stopped_clock);
  EXPECT_NEAR(stopped(*probe, 101).first, 4.2, 0.21);
}

// 10 laps are enough, at 2 s.
TEST_F(ProbeJudgeTest, AProgramWithoutEpochsIsProbedAsWithoutThem) {
  request_.limits.epochs = WholeEpochs{2};
  const auto probe = probe_judge(request_, kStarted, stopped_clock);
  const auto [end, outcome] = stopped(*probe, 101);
  EXPECT_LE(end, 2.6);
  EXPECT_THAT(why(outcome), HasSubstr("steady laps"));
}

// The program takes longer for its epoch than it said.
TEST_F(ProbeJudgeTest, AProbeWaitsForTheEpochNoLongerThanItTook) {
  laps_of_epoch_ = 25;
  const auto probe = probe_judge(request_, kStarted, stopped_clock);
  laps_until(3.4);
  laps_ = 1'000'000;  // no more come
  EXPECT_NEAR(stopped(*probe, 101).first, 2 * 0.2, 0.21);
}

}  // namespace
}  // namespace lapcast

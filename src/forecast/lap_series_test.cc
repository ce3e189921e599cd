#include "forecast/lap_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_profiler.h"
#include "forecast/stopping_rule.h"

namespace lapcast {
namespace {

FullLaps full_laps_of(const LapLog& log) {
  return full_laps(log.laps, lap_costs(log, PausedTime(log)));
}

TEST(LapCosts, WithoutPausesWithWhateverElseLiesBetween) {
  FakeLog fake(1);
  fake.begin_epoch().lap(0.5).idle(0.2);
  fake.log.stages.push_back({.name = "log"});
  fake.validation(2, 50).lap(0.5).end_epoch().idle(3).begin_epoch().lap(0.5);
  const std::vector<double> costs = lap_costs(fake.log, PausedTime(fake.log));
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_DOUBLE_EQ(costs[0], 0.5);
  EXPECT_DOUBLE_EQ(costs[1], 0.7);  // 0.2 idle, not the validation
  EXPECT_DOUBLE_EQ(costs[2], 0.5);  // not what lies between epochs
}

TEST(FullLaps, OfNothingAndOfOne) {
  EXPECT_TRUE(full_laps({}, {}).index.empty());
  const FullLaps one = full_laps_of(FakeLog().lap(0.5, 7).log);
  EXPECT_EQ(one.seconds, std::vector<double>{0.5});
  EXPECT_EQ(one.samples, 7);
}

TEST(FullLaps, PartialBatchesAreLeftOut) {
  const FullLaps full = full_laps_of(FakeLog().laps(4, 0.5).lap(0.3, 50).laps(4, 0.5).log);
  EXPECT_EQ(full.seconds, std::vector<double>(8, 0.5));
  EXPECT_EQ(full.samples, 100);
  EXPECT_EQ(full.index[4], 5u);
  EXPECT_FALSE(full.scaled);
}

TEST(FullLaps, VaryingBatchesAreScaledBySamples) {
  FakeLog fake;
  for (int samples : {80, 100, 120, 90, 110}) fake.lap(samples * 0.01, samples);
  const FullLaps full = full_laps_of(fake.log);
  EXPECT_TRUE(full.scaled);
  EXPECT_EQ(full.samples, 100);
  for (double seconds : full.seconds) EXPECT_NEAR(seconds, 1, 1e-9);
}

TEST(FullLaps, FirstLapsOfLongEpochsAreLeftOut) {
  FakeLog longer, shorter;
  for (int i = 0; i < 3; ++i) longer.begin_epoch().laps(8, 0.5).end_epoch();
  for (int i = 0; i < 3; ++i) shorter.begin_epoch().laps(7, 0.5).end_epoch();
  EXPECT_EQ(full_laps_of(longer.log).index.size(), 22u);
  EXPECT_EQ(full_laps_of(shorter.log).index.size(), 21u);
}

TEST(FullLaps, OnlyTheLastPhase) {
  FakeLog fake;
  fake.laps(5, 0.2).phase("large").laps(3, 0.8);
  EXPECT_EQ(full_laps_of(fake.log).index, (std::vector<std::uint32_t>{5, 6, 7}));
}

std::vector<Lap> laps_of(const std::vector<std::pair<int, bool>>& samples_and_finished) {
  std::vector<Lap> laps;
  for (const auto& [samples, finished] : samples_and_finished) {
    laps.push_back({.samples = samples, .finished = finished});
  }
  return laps;
}

TEST(QueuedLaps, ShareTheWaitBySamples) {
  const auto laps = laps_of({{10, true}, {10, false}, {30, false}, {10, true}, {10, true}});
  std::vector<double> costs = {5, 0.1, 0.1, 9.8, 2};
  share_out_queued(laps, costs);
  // 10 s for 50 samples are shared out as 2, 6 and 2 s.
  EXPECT_EQ(costs[0], 5);
  EXPECT_NEAR(costs[1], 2, 1e-12);
  EXPECT_NEAR(costs[2], 6, 1e-12);
  EXPECT_NEAR(costs[3], 2, 1e-12);
  EXPECT_EQ(costs[4], 2);
}

TEST(QueuedLaps, ShareEvenlyWithoutSamples) {
  const auto laps = laps_of({{0, false}, {0, true}});
  std::vector<double> costs = {1, 3};
  share_out_queued(laps, costs);
  EXPECT_EQ(costs, (std::vector<double>{2, 2}));
}

TEST(QueuedLaps, APhaseEndsAStretch) {
  auto laps = laps_of({{1, false}, {1, false}, {1, true}});
  laps[1].phase = laps[2].phase = 1;
  std::vector<double> costs = {1, 1, 3};
  share_out_queued(laps, costs);
  EXPECT_EQ(costs, (std::vector<double>{1, 2, 2}));
}

TEST(QueuedLaps, AreKnownUpToTheLastFinishedOne) {
  EXPECT_EQ(known_laps({}), 0u);
  EXPECT_EQ(known_laps(laps_of({{1, true}, {1, false}, {1, true}, {1, false}})), 3u);
  EXPECT_EQ(known_laps(laps_of({{1, false}, {1, false}})), 2u);
}

/// Makes a log in which a device needs 0.5 s for each lap; the CPU queues one in 0.01 s and waits
/// at every tenth. The probe ends in the middle of a stretch.
FakeLog queueing() {
  FakeLog fake;
  fake.lap(0.5);
  for (int stretch = 0; stretch < 5; ++stretch) fake.laps(9, 0.01).lap(5 - 0.09);
  fake.laps(7, 0.01);
  for (std::size_t i = 1; i < fake.log.laps.size(); ++i) fake.log.laps[i].finished = i % 10 == 0;
  return fake;
}

TEST(QueuedLaps, DoNotLookFastInAProfile) {
  const FakeLog fake = queueing();
  const LapProfile profile = *profile_of(fake.log, RunFacts{});
  EXPECT_NEAR(profile.steady.mean.mid.count(), 0.5, 1e-9);
  EXPECT_EQ(profile.steady.warm_up_laps + profile.steady.laps, 51);
}

TEST(QueuedLaps, DoNotLookFastToTheStoppingRule) {
  const FakeLog fake = queueing();
  StoppingRuleJudge judge({});
  EXPECT_NEAR(judge.judge(fake.log.laps).steady_lap.count(), 0.5, 1e-9);
}

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

/// Makes epochs of one lap of 10 s; the second begins after 3 s, the third after 4 s.
FakeLog two_epochs_and_a_begin() {
  FakeLog fake;
  fake.begin_epoch().lap(10).end_epoch().idle(3);
  fake.begin_epoch().lap(10).end_epoch().idle(4);
  fake.begin_epoch();
  return fake;
}

std::vector<double> boundaries_of(const LapLog& log, double steady_lap) {
  return epoch_boundaries(Series(log), steady_lap);
}

TEST(EpochParts, AnEpochThatHasOnlyBegunEndsABoundary) {
  const LapLog log = two_epochs_and_a_begin().log;
  EXPECT_THAT(boundaries_of(log, 0), ElementsAre(DoubleEq(3), DoubleEq(4)));
  EXPECT_THAT(whole_epochs(Series(log)), ElementsAre(Seconds{13}, Seconds{14}));
}

TEST(EpochParts, WhatItsFirstLapTakesLongerIsNotKnownYet) {
  const LapLog log = two_epochs_and_a_begin().log;
  EXPECT_THAT(boundaries_of(log, 9), ElementsAre(DoubleEq(3 + 1)));
}

TEST(EpochParts, NoBoundaryAfterTheLastEpoch) {
  FakeLog fake;
  fake.begin_epoch().lap(10).end_epoch().idle(3);
  EXPECT_THAT(boundaries_of(fake.log, 0), IsEmpty());
}

}  // namespace
}  // namespace lapcast

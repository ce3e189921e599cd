#include "forecast/queued_laps.h"

#include <gtest/gtest.h>

#include <vector>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_series.h"
#include "forecast/stopping_rule.h"

namespace lapcast {
namespace {

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
  // 10 s for 50 samples: 2, 6 and 2.
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

/// A device needs 0.5 s for each lap; the CPU queues one in 0.01 s and waits at every tenth. The
/// probe ends in the middle of a stretch.
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

}  // namespace
}  // namespace lapcast

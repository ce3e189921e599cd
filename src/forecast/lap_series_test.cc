#include "forecast/lap_series.h"

#include <gtest/gtest.h>

#include <vector>

#include "forecast/fake_log_test.h"

namespace lapcast {
namespace {

FullLaps full_laps_of(const LapLog& log) {
  return full_laps(log.laps, lap_costs(log, PausedTime(log)));
}

TEST(PausedTime, OverlapsCountOnce) {
  LapLog log;
  log.validations.push_back({.span = {100, 200}});
  log.stages.push_back({.name = "checkpoint", .span = {150, 250}});
  log.stages.push_back({.name = "train", .span = {0, 1000}});  // no pause
  log.validations.push_back({.span = {400, 500}});
  const PausedTime paused(log);
  EXPECT_EQ(paused.within(0, 1000), from_ns(250));
  EXPECT_EQ(paused.within(120, 220), from_ns(100));
  EXPECT_EQ(paused.within(250, 400), from_ns(0));
  EXPECT_EQ(paused.within(450, 300), from_ns(0));
  EXPECT_EQ(PausedTime(LapLog{}).within(0, 1000), from_ns(0));
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

}  // namespace
}  // namespace lapcast

#include "forecast/epoch_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"

namespace lapcast {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

/// Epochs of one lap of 10 s; 3 s until the second, 4 s until the third begins.
FakeLog two_epochs_and_a_begin() {
  FakeLog fake;
  fake.begin_epoch().lap(10).end_epoch().idle(3);
  fake.begin_epoch().lap(10).end_epoch().idle(4);
  fake.begin_epoch();
  return fake;
}

std::vector<double> boundaries_of(const LapLog& log, double steady_lap) {
  const PausedTime paused(log);
  return epoch_boundaries(log, lap_costs(log, paused), paused, steady_lap, 100);
}

TEST(EpochParts, AnEpochThatHasOnlyBegunEndsABoundary) {
  const LapLog log = two_epochs_and_a_begin().log;
  EXPECT_THAT(boundaries_of(log, 0), ElementsAre(DoubleEq(3), DoubleEq(4)));
  EXPECT_THAT(whole_epochs(log, PausedTime(log)), ElementsAre(Seconds{13}, Seconds{14}));
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

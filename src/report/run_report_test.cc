#include "report/run_report.h"

#include <gtest/gtest.h>

#include "forecast/forecast.h"
#include "report/plan_text.h"

namespace lapcast {
namespace {

constexpr Interval<Seconds> around_seconds(double mid) {
  return {Seconds{mid - 1}, Seconds{mid}, Seconds{mid + 1}};
}

Forecast with_warm_up(double warm_up_s) {
  return {.total = around_seconds(20 + warm_up_s),
          .parts = {{PartKind::warm_up, around_seconds(warm_up_s)},
                    {PartKind::laps, around_seconds(20)}}};
}

TEST(ShownParts, AFastWarmUpIsPartOfTheLaps) {
  const auto parts = shown_parts(with_warm_up(-3));
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].kind, PartKind::laps);
  EXPECT_EQ(parts[0].time, around_seconds(17));
}

TEST(ShownParts, ASlowWarmUpStaysAPartOfItsOwn) {
  const auto parts = shown_parts(with_warm_up(3));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].time, around_seconds(3));
  EXPECT_EQ(parts[1].time, around_seconds(20));
}

// 3 s of warm-up and 20 s of laps, of which earlier runs took 12 s less.
TEST(ShownParts, WhatEarlierRunsTookLessIsTakenFromTheLaps) {
  Forecast forecast = with_warm_up(3);
  forecast.parts.push_back({PartKind::earlier_runs, around_seconds(-12)});
  const auto parts = shown_parts(forecast);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].time, around_seconds(3));
  EXPECT_NEAR(parts[1].time.mid.count(), 8, 1e-9);
  EXPECT_TRUE(shown_parts({}).empty());
}

// The parts take 23 s, earlier runs took 21.5 s less than that: 1.5 / 23 of each part stays.
TEST(ShownParts, MoreThanTheLapsIsTakenFromAllParts) {
  Forecast forecast = with_warm_up(3);
  forecast.parts.push_back({PartKind::earlier_runs, around_seconds(-21.5)});
  const auto parts = shown_parts(forecast);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_NEAR(parts[0].time.mid.count(), 3 * 1.5 / 23, 1e-9);
  EXPECT_NEAR(parts[1].time.mid.count(), 20 * 1.5 / 23, 1e-9);
}

TEST(ShownParts, NoneReachesBelowZero) {
  Forecast forecast = with_warm_up(3);
  for (ForecastPart& part : forecast.parts) part.time.low = part.time.mid - Seconds{100};
  for (const ForecastPart& part : shown_parts(forecast)) EXPECT_EQ(part.time.low, Seconds{0});
}

TEST(PlanText, CountsInTheUnitOfThePlan) {
  EXPECT_EQ(plan_text({.epochs = 2, .training_samples = 1, .validation_samples = 1}),
            "2 epochs of 1 sample, each validated on 1");
  EXPECT_EQ(plan_text({.epochs = 4, .training_samples = 9, .laps_done = 30, .epochs_done = 2}),
            "the last 2 of 4 epochs of 9 samples");
  EXPECT_EQ(plan_text({.steps = 500, .laps_done = 130}), "the last 370 of 500 iterations");
  EXPECT_EQ(plan_text({.steps = 500, .training_samples = 40}),
            "500 iterations, in epochs of 40 samples");
}

}  // namespace
}  // namespace lapcast

#include "spot/spot_forecast.h"
#include "spot/exact_spot_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lapcast {
namespace {

/// Says that the future is like the trace.
SupplyConstants without_drift() {
  return {{Seconds{9000}, 0, 0}, {Seconds{3600}, 0, 0}, 1e-6};
}

SpotJob training_of(double hours = 6) {
  return {Seconds{hours * 3600}, Seconds{1200}, {Seconds{60}, Seconds{300}, Seconds{0}}};
}

std::vector<PresenceSpan> exponential_trace(int cycles, double session, double wait) {
  SeededNumbers numbers(11);
  AvailabilityTrace trace;
  for (int i = 0; i < cycles; ++i) {
    trace.extend(trace.length() + Seconds{-session * std::log(numbers.uniform())}, 1);
    trace.extend(trace.length() + Seconds{-wait * std::log(numbers.uniform())}, 0);
  }
  return presence_of(trace);
}

TEST(SpotForecast, ExponentialTimesAgreeWithTheClosedForm) {
  const auto trace = exponential_trace(5000, 7200, 1800);
  const SpotJob job = training_of(24);
  const auto forecast = forecast_on_spot(job, trace, without_drift(), 4000);
  ASSERT_TRUE(forecast);
  const ExpectedSpotTimes exact = expected_exponential(job, Seconds{7200}, Seconds{1800});
  // The job begins at a random moment: in a fifth of all cases with a wait of 1800 s.
  EXPECT_NEAR(forecast->mean.time() / (exact.time + Seconds{360}), 1, 0.03);
  EXPECT_NEAR(forecast->mean.billed() / exact.billed, 1, 0.02);
  EXPECT_EQ(forecast->finished, 1);
}

TEST(SpotForecast, AWorkThatIsNotKnownExactlyWidensIt) {
  AvailabilityTrace trace;
  trace.extend(Seconds{1e9}, 1);  // interruptions hardly matter
  const SpotJob job = training_of(24);
  const double hours = job.work.count() / 24;
  std::vector<double> works;
  for (int k = 0; k < 1000; ++k) works.push_back((k % 2 == 0 ? 12 : 48) * hours);
  const auto exact = forecast_on_spot(job, presence_of(trace), without_drift(), 1000);
  const auto wide = forecast_on_spot(job, presence_of(trace), without_drift(), 1000, 1, works);
  ASSERT_TRUE(exact && wide);
  const Seconds deadline{40 * hours};
  EXPECT_EQ(exact->in_time(deadline), 1);
  EXPECT_NEAR(wide->in_time(deadline), 0.5, 0.01);
}

TEST(SpotForecast, ARateIsEnough) {
  const SpotJob job = training_of(24);
  const auto sessions = LifetimeDistribution::exponential(Seconds{7200});
  const auto waits = LifetimeDistribution::exponential(Seconds{1800});
  const auto forecast = forecast_on_spot(job, *sessions, *waits, 4000);
  ASSERT_TRUE(forecast);
  const ExpectedSpotTimes exact = expected_exponential(job, Seconds{7200}, Seconds{1800});
  EXPECT_NEAR(forecast->mean.time() / exact.time, 1, 0.01);
  // One interruption for each mean session that is billed (Wald 1944).
  EXPECT_NEAR(forecast->interruptions / (exact.billed / Seconds{7200}), 1, 0.02);
  EXPECT_LT(forecast->time.low, exact.time);
  EXPECT_GT(forecast->time.high, exact.time);
}

TEST(SpotForecast, AMachineThatWasNeverTakenAwayMayBe) {
  AvailabilityTrace trace;
  trace.extend(Seconds{40000}, 1);
  const auto forecast = forecast_on_spot(training_of(), presence_of(trace));
  ASSERT_TRUE(forecast);
  // Boot 300 s, 6 h of work, and 17 checkpoints: 6 h are 18 intervals.
  const double least = 300 + 6 * 3600 + 17 * 60;
  EXPECT_NEAR(forecast->time.low.count(), least, 1e-6);
  EXPECT_GT(forecast->time.high.count(), least + 300);
}

TEST(SpotForecast, AShortTraceIsLessSureThanALongOne) {
  const auto few = exponential_trace(4, 7200, 1800), many = exponential_trace(400, 7200, 1800);
  const auto width = [&](const std::vector<PresenceSpan>& trace) {
    const auto forecast = forecast_on_spot(training_of(48), trace, without_drift());
    return forecast->time.high / forecast->time.low;
  };
  EXPECT_GT(width(few), 1.2 * width(many));
}

TEST(SpotForecast, PartsOfTheMeanSumToIt) {
  const auto forecast = forecast_on_spot(training_of(), exponential_trace(50, 7200, 1800));
  ASSERT_TRUE(forecast);
  EXPECT_NEAR(forecast->mean.training.count(), 6 * 3600, 1e-6);
  EXPECT_GT(forecast->mean.lost_work.count(), 0);
  EXPECT_GE(forecast->mean.time(), forecast->mean.billed());
}

TEST(SpotForecast, TheChanceGrowsWithTheDeadline) {
  const auto forecast = forecast_on_spot(training_of(), exponential_trace(50, 7200, 1800));
  ASSERT_TRUE(forecast);
  double before = 0;
  for (const double hours : {5.0, 7.0, 9.0, 14.0, 50.0}) {
    const double chance = forecast->in_time(Seconds{hours * 3600});
    EXPECT_GE(chance, before);
    before = chance;
  }
  EXPECT_EQ(forecast->in_time(Seconds{6 * 3600}), 0);
  EXPECT_GT(before, 0.9);
  EXPECT_NEAR(forecast->in_time(forecast->time.mid), 0.5, 0.01);
  EXPECT_DOUBLE_EQ(forecast->in_time(Seconds{1e12}), forecast->finished);
}

TEST(SpotForecast, TheSameSeedGivesTheSameForecast) {
  const auto trace = exponential_trace(50, 7200, 1800);
  EXPECT_EQ(forecast_on_spot(training_of(), trace)->time,
            forecast_on_spot(training_of(), trace)->time);
}

TEST(SpotForecast, WithoutAJobOrATraceThereIsAReason) {
  const auto trace = exponential_trace(5, 7200, 1800);
  SpotJob job = training_of();
  job.work = Seconds{std::nan("")};
  EXPECT_FALSE(forecast_on_spot(job, trace));
  EXPECT_FALSE(forecast_on_spot(training_of(), {}));
  const std::vector<PresenceSpan> unknown{{Seconds{0}, Seconds{99}, Presence::unknown}};
  EXPECT_FALSE(forecast_on_spot(training_of(), unknown));
  const std::vector<PresenceSpan> absent{{Seconds{0}, Seconds{99}, Presence::absent}};
  EXPECT_TRUE(forecast_on_spot(training_of(), absent));
}

}  // namespace
}  // namespace lapcast

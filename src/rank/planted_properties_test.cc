// These tests show what holds for every forecast, whatever is planted in the run.
#include <gtest/gtest.h>

#include "forecast/cut_log.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_profiler.h"
#include "forecast/planted_run_test.h"
#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

const Planted kKinds[] = {
    {},
    {.first_laps = {20, 4, 2}},
    {.epochs = 6, .first_epochs = {1.4, 1.1}},
    {.stalls = {30, 90}},
    {.validation = 0.7, .first_validation = 1.5, .every = 2},
    {.beside = 1, .slowdown = 1.2},
    {.boundary = 0.4, .checkpoint = 0.3},
};

void scale(Span& span, std::int64_t factor) {
  span.begin_ns *= factor;
  span.end_ns *= factor;
}

/// Returns the same run in time units that are `factor` times smaller.
LapLog scaled_log(LapLog log, std::int64_t factor) {
  for (Lap& lap : log.laps) lap.begin_ns *= factor, lap.end_ns *= factor;
  for (StageSpan& stage : log.stages) scale(stage.span, factor);
  for (ValidationSpan& validation : log.validations) scale(validation.span, factor);
  for (EpochSpan& epoch : log.epochs) scale(epoch.span, factor);
  log.last_ns *= factor;
  return log;
}

Forecast forecast_of(const LapLog& log, std::int64_t epochs) {
  const LapProfile profile = *profile_of(log, {});
  return *forecast(profile, *plan_of({.epochs = epochs}, profile));
}

TEST(ForecastProperties, ScalesWithTheUnits) {
  std::mt19937_64 generator(41);
  for (const Planted& planted : kKinds) {
    const PlantedRun run(planted, generator);
    const Forecast once = forecast_of(run.log(), 50);
    const Forecast thousandfold = forecast_of(scaled_log(run.log(), 1000), 50);
    EXPECT_NEAR(thousandfold.total.low / once.total.low, 1000, 1e-6);
    EXPECT_NEAR(thousandfold.total.mid / once.total.mid, 1000, 1e-6);
    EXPECT_NEAR(thousandfold.total.high / once.total.high, 1000, 1e-6);
  }
}

TEST(ForecastProperties, ScaleDoesNotChangeWhatIsFound) {
  std::mt19937_64 generator(42);
  for (const Planted& planted : kKinds) {
    const PlantedRun run(planted, generator);
    const LapProfile once = *profile_of(run.log(), {});
    const LapProfile more = *profile_of(scaled_log(run.log(), 1024), {});
    ASSERT_EQ(once.effects.size(), more.effects.size());
    for (std::size_t i = 0; i < once.effects.size(); ++i) {
      EXPECT_EQ(once.effects[i].kind, more.effects[i].kind);
      EXPECT_NEAR(once.effects[i].share, more.effects[i].share, 1e-9);
    }
  }
}

TEST(ForecastProperties, ScaleDoesNotChangeTheChoice) {
  std::mt19937_64 generator(43);
  const std::vector<Offer> offers{test::offer("m", "m", "1")};
  for (int i = 0; i < 20; ++i) {
    const PlantedRun a(kKinds[i % 7], generator), b(kKinds[(i + 1) % 7], generator);
    const auto winner = [&](std::int64_t factor) {
      std::vector<Candidate> candidates;
      for (const LapLog& log : {a.log(), b.log()})
        candidates.push_back({.machine_type = "m",
                              .settings = std::to_string(candidates.size()),
                              .time = forecast_of(scaled_log(log, factor), 50).total});
      return rank(candidates, offers, {.by = Objective::time}).chosen.at(0).candidate->settings;
    };
    EXPECT_EQ(winner(1), winner(1000)) << i;
  }
}

// From one epoch to the next the interval of the rest may grow by chance, on average it does not.
TEST(ForecastProperties, MoreEpochsDoNotWidenIt) {
  for (Planted planted : kKinds) {
    planted.epochs = 12;
    std::mt19937_64 generator(44);
    std::vector<double> widths(4);
    for (int i = 0; i < 30; ++i) {
      const PlantedRun run(planted, generator);
      for (std::size_t k = 0; k < widths.size(); ++k) {
        const Interval<Seconds> total =
            forecast_of(*log_of_first_epochs(run.log(), static_cast<std::int64_t>(3 * k + 2)), 100)
                .total;
        widths[k] += (total.high - total.low) / total.mid / 30;
      }
    }
    for (std::size_t k = 1; k < widths.size(); ++k) EXPECT_LE(widths[k], 1.1 * widths[k - 1]) << k;
  }
}

// When a training goes on as its first epochs did, the forecast is what happens.
TEST(ForecastProperties, WhatWasPlantedIsForecast) {
  for (Planted planted : kKinds) {
    planted.epochs = 40;
    std::mt19937_64 generator(45);
    double inside = 0;
    for (int i = 0; i < 20; ++i) {
      const PlantedRun run(planted, generator);
      const Forecast early = forecast_of(*log_of_first_epochs(run.log(), 6), 40);
      EXPECT_NEAR(early.total.mid.count(), run.seconds(), 0.05 * run.seconds());
      inside += early.total.contains(Seconds{run.seconds()}) ? 1 : 0;
    }
    EXPECT_GE(inside, 19);
  }
}

}  // namespace
}  // namespace lapcast

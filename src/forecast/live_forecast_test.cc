#include "forecast/live_forecast.h"

#include <gtest/gtest.h>

#include "forecast/fake_log_test.h"

namespace lapcast {
namespace {

RunContext context_of(const RequestedPlan& plan) {
  RunContext context;
  context.plan = plan;
  return context;
}

/// Laps of `lap` seconds after 2 s of init, looked at after every one of them.
void follow(LiveForecast& forecast, int laps, double lap) {
  FakeLog fake(2);
  for (int i = 0; i < laps; ++i) {
    fake.lap(lap);
    forecast.update(fake.log, {Seconds{fake.now()}, Seconds{0}});
  }
}

TEST(LiveForecast, WithoutLapsThereIsNone) {
  const RunContext context = context_of({.steps = 100});
  LiveForecast forecast(context);
  EXPECT_EQ(forecast.total().error().text, "no laps yet");
  forecast.update(LapLog(), {Seconds{3}, Seconds{0}});
  EXPECT_EQ(forecast.total().error().text, "no laps yet");
  EXPECT_TRUE(forecast.history().empty());
}

TEST(LiveForecast, WithoutAPlanTheReasonSaysWhatIsMissing) {
  const RunContext context;
  LiveForecast forecast(context);
  follow(forecast, 20, 1);
  EXPECT_NE(forecast.total().error().text.find("how long to train is not known"),
            std::string::npos);
  EXPECT_FALSE(forecast.is_founded() && forecast.total());
}

// 10 steady laps: the first is never one. 0.5 s of them: 51 laps of 10 ms.
TEST(LiveForecast, IsFoundedOnEnoughSteadyLaps) {
  const RunContext context = context_of({.steps = 1000});
  const auto founded_after = [&](double lap) {
    for (int laps = 1;; ++laps) {
      LiveForecast forecast(context);
      follow(forecast, laps, lap);
      if (forecast.is_founded()) return laps;
    }
  };
  EXPECT_EQ(founded_after(1), 11);
  EXPECT_NEAR(founded_after(0.01), 51, 1);
}

TEST(LiveForecast, KeepsMomentsThatAreFivePercentApart) {
  const RunContext context = context_of({.steps = 3000});
  LiveForecast forecast(context);
  FakeLog fake(2);
  for (int i = 0; i < 3000; ++i) {
    fake.lap(1);
    if (i % 10 == 9) forecast.update(fake.log, {Seconds{fake.now()}, Seconds{0}});
  }
  const auto& history = forecast.history();
  EXPECT_EQ(history.front().elapsed, Seconds{12});
  for (std::size_t i = 1; i < history.size(); ++i)
    EXPECT_GE(history[i].elapsed, history[i - 1].elapsed * 1.05);
  // From 12 to 3002 s in steps of at least 5 %: at most log(250) / log(1.05) = 113.
  EXPECT_LE(history.size(), 114U);
  EXPECT_GE(history.size(), 60U);
  EXPECT_NEAR(history.back().total.mid.count(), 3002.1, 1);
}

TEST(LiveForecast, KnowsThePlannedEpochs) {
  const RunContext context = context_of({.epochs = 7});
  LiveForecast forecast(context);
  FakeLog fake;
  fake.plan({.epochs = 9, .iterations_per_epoch = 20}).begin_epoch().laps(5, 1);
  forecast.update(fake.log, {Seconds{fake.now()}, Seconds{0}});
  EXPECT_EQ(forecast.planned_epochs(), 7);  // the user's word
}

ForecastMoment moment(double elapsed, double low, double mid, double high) {
  return {Seconds{elapsed}, {Seconds{low}, Seconds{mid}, Seconds{high}}};
}

// A run of 200 s: 1 % are 2 s, 5 % 10 s, 10 % 20 s, 25 % 50 s, 50 % 100 s.
TEST(Hindsight, TakesTheLastForecastUntilThen) {
  const std::vector<ForecastMoment> forecasts{moment(3, 100, 150, 199), moment(9, 150, 190, 220),
                                              moment(10, 160, 220, 300), moment(60, 199, 200, 201),
                                              moment(101, 0, 0, 0)};
  const std::vector<Hindsight> rows = hindsight(forecasts, Seconds{200});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].share, 0.01);
  EXPECT_EQ(rows[0].forecast, std::nullopt);
  EXPECT_EQ(rows[1].forecast, forecasts[2]);
  EXPECT_NEAR(rows[1].error, 0.10, 1e-12);
  EXPECT_TRUE(rows[1].inside);
  EXPECT_EQ(rows[3].forecast, forecasts[2]);
  EXPECT_EQ(rows[4].forecast, forecasts[3]);
  EXPECT_NEAR(rows[4].error, 0, 1e-12);
}

TEST(Hindsight, AnIntervalBesideTheTruthDoesNotHoldIt) {
  const std::vector<Hindsight> rows =
      hindsight(std::vector{moment(1, 100, 150, 199)}, Seconds{200});
  EXPECT_NEAR(rows[0].error, -0.25, 1e-12);
  EXPECT_FALSE(rows[0].inside);
}

TEST(Hindsight, NothingOfARunWithoutTime) {
  EXPECT_TRUE(hindsight({}, Seconds{0}).empty());
  EXPECT_EQ(hindsight({}, Seconds{5}).size(), 5U);
}

}  // namespace
}  // namespace lapcast

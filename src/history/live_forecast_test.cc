#include "history/live_forecast.h"

#include <gtest/gtest.h>

#include <cmath>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profiler.h"

namespace lapcast {
namespace {

/// Returns the forecast when the log has just got its last event.
Interval<Seconds> forecast_of(const LapLog& log, const TrainingPlan& asked, double elapsed,
                              double before_log = 0) {
  RunFacts facts;
  facts.before_log = Seconds{before_log};
  const LapProfile profile = profile_of(log, facts).value();
  const TrainingPlan plan = plan_of(asked, profile).value();
  return forecast_under_way(profile, plan, log, {Seconds{elapsed}, Seconds{before_log}}).value();
}

// Init of 2 s and 40 laps of 1 s make 42 s. Left are 60 laps and a tear-down of 5 % of init (0 to
// 50 %): 60.1 s, spread by 1.96 * 2 % = 2.356 s.
TEST(RunUnderWay, IsWhatWasAndWhatIsLeft) {
  const LapLog log = FakeLog(2).laps(40, 1).log;
  const auto total = forecast_of(log, {.steps = 100}, 42);
  EXPECT_NEAR(total.mid.count(), 102.1, 1e-6);
  EXPECT_NEAR(total.low.count(), 102.1 - std::hypot(0.1, 2.35588), 1e-3);
  EXPECT_NEAR(total.high.count(), 102.1 + std::hypot(0.9, 2.35588), 1e-3);
}

TEST(RunUnderWay, TheTimeBeforeTheLogCounts) {
  const LapLog log = FakeLog(2).laps(40, 1).log;
  const auto total = forecast_of(log, {.steps = 100}, 45, 3);  // init is 5 s
  EXPECT_NEAR(total.mid.count(), 45 + 60 + 0.25, 1e-6);
}

TEST(RunUnderWay, NarrowsUntilTheEnd) {
  double before = 1e9;
  for (const int laps : {20, 50, 90, 100}) {
    const LapLog log = FakeLog(2).laps(laps, 1).log;
    const auto total = forecast_of(log, {.steps = 100}, 2 + laps);
    EXPECT_NEAR(total.mid.count(), 102.1, 1e-6);
    EXPECT_LT((total.high - total.low).count(), before);
    before = (total.high - total.low).count();
  }
  EXPECT_LT(before, 1.1);  // only the tear-down is left
}

TEST(RunUnderWay, IsNeverBelowTheTimeThatHasPassed) {
  const LapLog log = FakeLog(2).laps(100, 1).log;
  const auto total = forecast_of(log, {.steps = 100}, 200);
  EXPECT_EQ(total, (Interval<Seconds>::exactly(Seconds{200})));
}

// The few laps that are left scatter more than their mean is uncertain: of 400 laps of 0.9 and 1.1
// s in turn, 4 more take 4 s, and the interval must hold 3.6 and 4.4.
TEST(RunUnderWay, TheScatterOfTheLastLapsCounts) {
  FakeLog fake(2);
  for (int i = 0; i < 400; ++i) fake.lap(i % 7 < 3 ? 0.9 : 1.1);
  const double now = fake.now();
  const auto total = forecast_of(fake.log, {.steps = 404}, now);
  EXPECT_LT(total.low.count(), now + 3.75);
  EXPECT_GT(total.high.count(), now + 4.35);
}

// The whole training takes 40.75 s; the log ends within its second epoch.
TEST(RunUnderWay, PartsThatAreDoneAreNotCountedAgain) {
  FakeLog fake;
  fake.plan({.epochs = 3,
             .iterations_per_epoch = 20,
             .batch_size = 100,
             .training_samples = 2000,
             .validation_samples = 400});
  fake.begin_epoch().lap(4.5).laps(19, 0.5).end_epoch();
  fake.validation(1.5, 400).checkpoint(0.25).idle(0.1).begin_epoch().laps(10, 0.5);
  const auto total = forecast_of(fake.log, {}, fake.now());
  EXPECT_NEAR(total.mid.count(), kWholeTrainingSeconds, 0.02 * kWholeTrainingSeconds);
  EXPECT_TRUE(total.contains(Seconds{kWholeTrainingSeconds}));
}

TEST(RunUnderWay, AtTheEndOnlyTheTearDownIsLeft) {
  const LapLog log = whole_training().log;
  const auto total = forecast_of(log, {}, from_ns(log.last_ns).count());
  EXPECT_NEAR(total.mid.count(), from_ns(log.last_ns).count() + 0.05 * 2, 1e-6);
}

// The run has epochs 4 and 5 of 5: 20 laps of 1 s in all, of which 5 are done.
TEST(RunUnderWay, AResumedRunHasOnlyTheRestToDo) {
  FakeLog fake(2);
  fake.plan({.epochs = 5, .iterations_per_epoch = 10, .batch_size = 100, .training_samples = 1000});
  fake.begin_epoch().laps(5, 1);
  fake.log.epochs.front().epoch = 4;
  const auto total = forecast_of(fake.log, {}, 7);
  const double boundary = 0.25;  // a quarter of a lap
  EXPECT_NEAR(total.mid.count(), 7 + 15 + boundary + 0.1, 1e-6);
}

TEST(RunUnderWay, AnUnknownValidationIsAReason) {
  const LapLog log = FakeLog(2).plan({.steps = 100}).laps(20, 1, 0).log;
  const LapProfile profile = profile_of(log, {}).value();
  const TrainingPlan plan{.steps = 100, .validation_samples = 500};
  EXPECT_FALSE(forecast_under_way(profile, plan, log, {Seconds{22}}));
}

RunContext context_of(const TrainingPlan& plan) {
  RunContext context;
  context.plan = plan;
  return context;
}

/// Updates a forecast after each of some laps of `lap` seconds, which follow 2 s of init.
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
  EXPECT_FALSE(forecast.has_enough_laps() && forecast.total());
}

// 10 steady laps are needed, and the first lap is never one; 0.5 s of them are 51 laps of 10 ms.
TEST(LiveForecast, IsFoundedOnEnoughSteadyLaps) {
  const RunContext context = context_of({.steps = 1000});
  const auto enough_after = [&](double lap) {
    for (int laps = 1;; ++laps) {
      LiveForecast forecast(context);
      follow(forecast, laps, lap);
      if (forecast.has_enough_laps()) return laps;
    }
  };
  EXPECT_EQ(enough_after(1), 11);
  EXPECT_NEAR(enough_after(0.01), 51, 1);
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
  // From 12 to 3002 s there are at most log(250) / log(1.05) = 113 steps of at least 5 %.
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

// Init of 2 s, 40 laps of 1 s; 60.1 s are left, which take a tenth longer in earlier runs.
TEST(LiveForecast, IsCorrectedByEarlierRuns) {
  const RunContext context = context_of({.steps = 100});
  LiveForecast forecast(context, [](const LapProfile& profile, const TrainingPlan& plan,
                                    Seconds rest) {
    EXPECT_NEAR(rest.count(), 60.1, 1e-6);
    EXPECT_EQ(profile.laps.size(), 40U);
    EXPECT_EQ(plan.steps, 100);
    return PastErrors{.bias = std::log(1.1), .below = 0.05, .above = 0.05, .weight = 2, .runs = 2};
  });
  forecast.update(FakeLog(2).laps(40, 1).log, {Seconds{42}, Seconds{0}});
  EXPECT_NEAR(forecast.total()->mid.count(), 42 + 66.11, 1e-6);
  EXPECT_NEAR(forecast.total()->low.count(), 42 + 66.11 * std::exp(-0.05), 1e-6);
  EXPECT_NEAR(forecast.total()->high.count(), 42 + 66.11 * std::exp(0.05), 1e-6);
}

ForecastMoment moment(double elapsed, double low, double mid, double high) {
  return {Seconds{elapsed}, {Seconds{low}, Seconds{mid}, Seconds{high}}};
}

// Of a run of 200 s, 1 % are 2 s, 5 % are 10 s, 10 % are 20 s, 25 % are 50 s and 50 % are 100 s.
TEST(Hindsight, TakesTheLastForecastUntilThen) {
  const std::vector<ForecastMoment> forecasts{moment(3, 100, 150, 199), moment(9, 150, 190, 220),
                                              moment(10, 160, 220, 300), moment(60, 199, 200, 201),
                                              moment(101, 0, 0, 0)};
  const std::vector<Hindsight> rows = hindsight(forecasts, Seconds{200});
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[1].share, 0.01);
  EXPECT_EQ(rows[1].forecast, std::nullopt);
  EXPECT_EQ(rows[2].forecast, forecasts[2]);
  EXPECT_NEAR(rows[2].error, 0.10, 1e-12);
  EXPECT_TRUE(rows[2].inside);
  EXPECT_EQ(rows[4].forecast, forecasts[2]);
  EXPECT_EQ(rows[5].forecast, forecasts[3]);
  EXPECT_NEAR(rows[5].error, 0, 1e-12);
}

// A first forecast of 3000 s after 0.2 s of 200 s is 1400 % off, and gone before 1 % is reached.
TEST(Hindsight, TheFirstForecastHasItsOwnRow) {
  const std::vector<Hindsight> rows =
      hindsight(std::vector{moment(0.2, 2900, 3000, 3100), moment(1, 190, 200, 210)}, Seconds{200});
  EXPECT_TRUE(rows[0].is_first);
  EXPECT_NEAR(rows[0].share, 0.001, 1e-12);
  EXPECT_NEAR(rows[0].error, 14, 1e-12);
  EXPECT_FALSE(rows[0].inside);
  EXPECT_FALSE(rows[1].is_first);
  EXPECT_NEAR(rows[1].error, 0, 1e-12);
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

// After 100 s of 390 to 420 s, at $3.60 an hour, it is $0.10 of $0.40.
TEST(RestOfRun, IsTheTimeAfterNowAndTheBills) {
  const Interval<Seconds> total{Seconds{390}, Seconds{400}, Seconds{420}};
  Offer offer;
  offer.price = {Money::parse("3.60")};
  offer.billing = {0, 0};
  const RestOfRun rest = rest_of_run(Seconds{100}, total, offer);
  EXPECT_EQ(rest.left, (Interval<Seconds>{Seconds{290}, Seconds{300}, Seconds{320}}));
  EXPECT_EQ(rest.cost_so_far, Money::parse("0.10"));
  EXPECT_EQ(rest.cost->mid, Money::parse("0.40"));
  EXPECT_EQ(rest.cost->high, Money::parse("0.42"));
  EXPECT_FALSE(rest_of_run(Seconds{100}, total, std::nullopt).cost_so_far);
  const RestOfRun unknown = rest_of_run(Seconds{100}, std::nullopt, offer);
  EXPECT_FALSE(unknown.left || unknown.cost);
  EXPECT_EQ(unknown.cost_so_far, Money::parse("0.10"));
  EXPECT_EQ(rest_of_run(Seconds{500}, total, std::nullopt).left->high, Seconds{0});
}

}  // namespace
}  // namespace lapcast

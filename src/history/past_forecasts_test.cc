#include "history/past_forecasts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "forecast/fake_log_test.h"
#include "forecast/lap_profiler.h"
#include "stats/series_test.h"

namespace lapcast {
namespace {

/// Describes a training of 100 laps of 1 s.
ComparedTraining compared_training(const std::string& source = "a",
                                   const std::string& machine = "") {
  ComparedTraining now;
  now.program = "train";
  now.source = source;
  now.machine = machine;
  now.log_laps = std::log(100);
  return now;
}

std::vector<PastForecast> past_forecasts(std::size_t count, double log_ratio) {
  std::vector<PastForecast> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({compared_training("machine " + std::to_string(i)), log_ratio});
  return all;
}

// Init takes 2 s, then come a lap of 4.5 s and 59 of 0.5 s.
TEST(ComparedTraining, IsWhatTheProfileSays) {
  const LapProfile profile = *profile_of(whole_training().log, {});
  const TrainingPlan plan = *plan_of({}, profile);
  const ComparedTraining now = training_numbers(profile, plan);
  EXPECT_NEAR(now.slow_start.value(), std::log(9), 1e-9);
  EXPECT_NEAR(now.log_laps, std::log(60), 1e-9);
  EXPECT_NEAR(now.log_lap, std::log(0.5), 1e-9);
}

TEST(LogRatio, IsThatOfTheRests) {
  EXPECT_NEAR(log_ratio_of(Seconds{110}, Seconds{90}, Seconds{10}), std::log(100.0 / 80), 1e-12);
  EXPECT_EQ(log_ratio_of(Seconds{1000}, Seconds{90}, Seconds{10}), 2.3);
  EXPECT_EQ(log_ratio_of(Seconds{11}, Seconds{90}, Seconds{10}), -2.3);
  EXPECT_EQ(log_ratio_of(Seconds{10}, Seconds{90}, Seconds{10}), 0);
  EXPECT_EQ(log_ratio_of(Seconds{90}, Seconds{10}, Seconds{10}), 0);
}

TEST(PastErrors, IsEmptyWithoutPastForecasts) {
  const PastErrors none = past_errors(compared_training(), {});
  EXPECT_EQ(none.runs, 0U);
  const Interval<Seconds> total{Seconds{90}, Seconds{100}, Seconds{130}};
  EXPECT_EQ(with_past_errors(total, Seconds{10}, none), total);
}

// The forecast's own bounds of the rest of 90 s are 80 and 120 s, which are 0.1178 and 0.2877 away
// in ln. A wander of 0.2 makes that 0.2321 and 0.3504.
TEST(PastErrors, WanderingSpeedWidensTheOwnInterval) {
  const Interval<Seconds> total{Seconds{90}, Seconds{100}, Seconds{130}};
  const Interval<Seconds> wider = with_past_errors(total, Seconds{10}, {.wander = 0.2});
  EXPECT_NEAR(wider.low.count(), 10 + 90 * std::exp(-0.2321), 0.01);
  EXPECT_EQ(wider.mid, Seconds{100});
  EXPECT_NEAR(wider.high.count(), 10 + 90 * std::exp(0.3504), 0.01);
}

// The bias counts as 9 of 10 among the alike, and what is left as 9 of 10 among the most alike:
// nine runs, and one that stands for what was assumed before.
TEST(PastErrors, LearnsTheBiasOfItsProgram) {
  const PastErrors learned =
      past_errors(compared_training(), PastForecasts(past_forecasts(9, 0.10)));
  EXPECT_EQ(learned.runs, 9U);
  EXPECT_NEAR(learned.bias, 0.099, 1e-12);
  EXPECT_NEAR(learned.weight, 9, 1e-12);
  EXPECT_FALSE(learned.only_widens);
}

TEST(PastErrors, BelievesThreeQuartersOfASingleRun) {
  const PastErrors learned =
      past_errors(compared_training(), PastForecasts(past_forecasts(1, 0.10)));
  EXPECT_NEAR(learned.bias, 0.075, 1e-12);
}

// Of fifty that agree, two took half as long: the interval reaches down there, not up as far. Of
// all weights, those of the two are 3.3 %, and those of two as far above 0.7 %.
TEST(PastErrors, TheIntervalReachesWhereTheErrorsLie) {
  std::vector<PastForecast> all = past_forecasts(50, 0.01);
  all[0].log_ratio = all[1].log_ratio = -0.7;
  const PastErrors learned = past_errors(compared_training(), PastForecasts(all));
  EXPECT_NEAR(learned.below, 1.1 * 0.71, 0.01);
  EXPECT_LT(learned.above, 0.01);
}

// A training of another length has no errors of its own, so those of its program count, and half as
// much: the kernel for lengths grows to 2.25 times its width.
TEST(PastErrors, TakesLessAlikeOnesWhereNoneIsAlike) {
  std::vector<PastForecast> all = past_forecasts(20, 0.3);
  for (PastForecast& each : all) each.training.log_laps += 5;
  const PastErrors learned = past_errors(compared_training(), PastForecasts(all));
  EXPECT_NEAR(learned.bias, 0, 1e-3);
  EXPECT_NEAR(learned.above, 1.1 * 0.3, 1e-3);
  EXPECT_NEAR(learned.weight, 20 * std::exp(-0.5 * std::pow(5 / 2.25, 2)) / 2.25, 1e-9);
}

// Half say +0.1, half -0.06: the median is one of these, and 68 % are within 0.16 of it.
TEST(PastErrors, BelievesNoBiasThatPastForecastsDisagreeAbout) {
  std::vector<PastForecast> all = past_forecasts(40, 0.10);
  for (std::size_t i = 0; i < all.size(); i += 2) all[i].log_ratio = -0.06;
  EXPECT_EQ(past_errors(compared_training(), PastForecasts(all)).bias, 0);
}

TEST(PastErrors, ReliesOnThoseThatAreAlike) {
  std::vector<PastForecast> all = past_forecasts(9, 0.10);
  for (PastForecast far : past_forecasts(50, -0.5)) {
    far.training.log_laps += 3;  // twenty times as many laps
    far.training.source += " far";
    all.push_back(far);
  }
  EXPECT_NEAR(past_errors(compared_training(), PastForecasts(all)).bias, 0.099, 1e-3);
}

TEST(PastErrors, TakesFromOtherProgramsOnlyTheirSpread) {
  std::vector<PastForecast> others = past_forecasts(20, 0.08);
  for (PastForecast& each : others) each.training.program = "another";
  const PastErrors learned = past_errors(compared_training(), PastForecasts(others));
  EXPECT_EQ(learned.runs, 0U);
  EXPECT_EQ(learned.bias, 0);
  EXPECT_NEAR(learned.below, 1.1 * 0.08, 1e-12);
  EXPECT_NEAR(learned.above, 1.1 * 0.08, 1e-12);
  EXPECT_TRUE(learned.only_widens);
  EXPECT_NEAR(learned.weight, 1, 1e-12);  // a program counts as one, whoever ran it
}

// Ten runs of one source say as much of the spread as sqrt(10) of ten sources.
TEST(PastErrors, CountsRunsOfOneSourceAsFew) {
  std::vector<PastForecast> all = past_forecasts(10, 0);
  for (PastForecast& each : all) each.training.source = "one";
  EXPECT_NEAR(past_errors(compared_training(), PastForecasts(all)).weight, std::sqrt(10), 1e-9);
}

// Laps that scatter by 5 % are drawn to what laps of other runs take on that machine.
TEST(PastErrors, DrawsAnUncertainLapToThoseOfTheSameMachine) {
  std::vector<PastForecast> all;
  for (int i = 0; i < 40; ++i) {
    PastForecast each{compared_training(i % 2 ? "b" : "c", "gpu"), i % 4 < 2 ? 0.05 : -0.05};
    each.training.log_lap = 0.1 - each.log_ratio;  // all went on at exp(0.1) s a lap
    all.push_back(each);
  }
  const PastErrors learned = past_errors(compared_training("a", "gpu"), PastForecasts(all));
  EXPECT_EQ(learned.same_machine, 2U);
  // 68 % are within 0.1 of the median, which counts against sd^2 = 0.04^2 (1 + 1/2) + 0.02^2.
  const double others = 1 / (0.0016 * 1.5 + 0.0004);
  EXPECT_NEAR(learned.bias, 0.1 * others / (others + 1 / (0.1 * 0.1)), 0.005);
  EXPECT_LT(std::abs(past_errors(compared_training("a", "cpu"), PastForecasts(all)).bias), 0.051);
  EXPECT_EQ(past_errors(compared_training("a", "cpu"), PastForecasts(all)).same_machine, 0U);
}

// A rest of 80 s times 1.25 is 100 s, down to a tenth less and up to 5 % more.
TEST(WithPastErrors, ScalesTheRest) {
  const Interval<Seconds> total{Seconds{90}, Seconds{100}, Seconds{120}};
  const PastErrors two{
      .bias = std::log(1.25), .below = std::log(1.1), .above = std::log(1.05), .weight = 2};
  const Interval<Seconds> after = with_past_errors(total, Seconds{20}, two);
  EXPECT_NEAR(after.low.count(), 20 + 100 / 1.1, 1e-9);
  EXPECT_NEAR(after.mid.count(), 120, 1e-9);
  EXPECT_NEAR(after.high.count(), 125, 1e-9);
}

// With half of the evidence that it takes (1.5 runs), half of the forecast's own width counts:
// ln(100/80) upwards.
TEST(WithPastErrors, KeepsTheOwnIntervalWhereThereIsLittleEvidence) {
  const Interval<Seconds> total{Seconds{90}, Seconds{100}, Seconds{120}};
  const PastErrors one{.below = 0.1, .above = 0.1, .weight = 0.75};
  const Interval<Seconds> after = with_past_errors(total, Seconds{20}, one);
  EXPECT_NEAR(after.high.count(), 20 + 80 * std::exp(0.05 + 0.5 * std::log(1.25)), 1e-9);
  EXPECT_NEAR(after.low.count(), 20 + 80 * std::exp(-0.05 - 0.5 * std::log(80.0 / 70)), 1e-9);
}

// The own bounds are ln(80/70) below and ln(100/80) above; the past errors reach further below
// only.
TEST(WithPastErrors, OnlyWidensWhereNoneIsAlike) {
  const Interval<Seconds> total{Seconds{90}, Seconds{100}, Seconds{120}};
  const PastErrors strange{.below = 0.5, .above = 0.1, .weight = 1, .only_widens = true};
  const Interval<Seconds> after = with_past_errors(total, Seconds{20}, strange);
  EXPECT_NEAR(after.low.count(), 20 + 80 * std::exp(-0.5), 1e-9);
  EXPECT_NEAR(after.high.count(), 120, 1e-9);
}

/// Expects that between 91 and 99 % of the 95 % intervals learned from 40 runs with a spread of 4 %
/// hold the next run.
TEST(PastErrors, CoversTheNextRun) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> ratio(0.05, 0.04);
  const double inside = share_of(1000, [&] {
    std::vector<PastForecast> all = past_forecasts(40, 0);
    for (PastForecast& each : all) each.log_ratio = ratio(generator);
    const PastErrors learned = past_errors(compared_training(), PastForecasts(all));
    const double off = ratio(generator) - learned.bias;
    return -learned.below <= off && off <= learned.above;
  });
  EXPECT_GE(inside, 0.91);
  EXPECT_LE(inside, 0.99);
}

}  // namespace
}  // namespace lapcast

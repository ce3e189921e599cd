#include "rank/tuning.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Assessment taking(double low, double mid, double high) {
  Assessment assessment;
  assessment.forecast->total = {Seconds{low}, Seconds{mid}, Seconds{high}};
  return assessment;
}

const std::vector<TuneSetting> kSettings{{"threads", "1", {{"OMP_NUM_THREADS", "1"}}},
                                         {"threads", "4", {{"OMP_NUM_THREADS", "4"}}},
                                         {"malloc", "keep", {{"MALLOC_MMAP_MAX_", "0"}}}};

std::optional<Interval<double>> ratio(double low, double mid, double high) {
  return Interval<double>{low, mid, high};
}

TEST(Tuning, TheHooksWordsAreJoinedAndOtherVariablesStand) {
  const std::vector<TuneSetting> settings{{"workers", "2", {{kHookVariable, "workers=2"}}},
                                          {"compile", "on", {{kHookVariable, "compile"}}},
                                          kSettings[0]};
  EXPECT_THAT(environment_of(settings),
              ElementsAre(Pair(kHookVariable, "workers=2,compile"), Pair("OMP_NUM_THREADS", "1")));
  RunContext context;
  context.machine_type.environment = {{kHookVariable, "loss"}, {"FAKE_SPEED", "2"}};
  const RunContext tuned = with_settings(context, settings);
  EXPECT_EQ(tuned.machine_type.environment.at(kHookVariable), "loss,workers=2,compile");
  EXPECT_EQ(tuned.machine_type.environment.at("FAKE_SPEED"), "2");
  EXPECT_EQ(text_of_settings(settings), "compile=on threads=1 workers=2");
}

TEST(Tuning, TheRatioOfIndependentTimesAddsTheSquaresOfTheirLogarithms) {
  // Each reaches 10 % to both sides: together exp(sqrt(2) ln 1.1) = 1.1443.
  const auto found = ratio_of_times(taking(50 / 1.1, 50, 55), taking(100 / 1.1, 100, 110));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->low, 0.5 / 1.1443, 1e-4);
  EXPECT_DOUBLE_EQ(found->mid, 0.5);
  EXPECT_NEAR(found->high, 0.5 * 1.1443, 1e-4);
  Assessment unknown;
  unknown.forecast = because("no");
  EXPECT_FALSE(ratio_of_times(unknown, taking(1, 1, 1)));
}

TEST(Tuning, WhatSlowsBothAlikeLeavesTheirRatioSure) {
  Assessment slow = taking(80, 100, 120), fast = taking(40, 50, 60);
  slow.cases = std::make_shared<std::vector<double>>(std::vector<double>{80, 100, 120});
  fast.cases = std::make_shared<std::vector<double>>(std::vector<double>{40, 50, 60});
  EXPECT_EQ(ratio_of_times(fast, slow), (Interval<double>{0.5, 0.5, 0.5}));
}

TEST(Tuning, TheFastestSurelyFasterSettingOfEachNameIsCombined) {
  const std::vector both{ratio(0.7, 0.8, 0.9), ratio(0.6, 0.7, 0.8), ratio(0.4, 0.5, 0.6)};
  EXPECT_THAT(settings_to_combine(kSettings, both), ElementsAre(2, 1));
  const std::vector one_sure{ratio(0.5, 0.8, 1.2), ratio(1.1, 1.2, 1.3), ratio(0.9, 0.95, 0.99)};
  EXPECT_THAT(settings_to_combine(kSettings, one_sure), ElementsAre(2));
}

TEST(Tuning, WithoutASureOneTheBestIsTriedIfItLooksFasterByEnough) {
  const std::vector promising{ratio(0.5, 0.9, 1.2), ratio(0.6, 0.95, 1.3), ratio(0.9, 1, 1.1)};
  EXPECT_THAT(settings_to_combine(kSettings, promising), ElementsAre(0));
  const std::vector little{ratio(0.5, 0.98, 1.2), ratio(0.6, 0.99, 1.3), ratio(0.9, 1, 1.1)};
  EXPECT_THAT(settings_to_combine(kSettings, little), IsEmpty());
  EXPECT_THAT(settings_to_combine(kSettings, std::vector<std::optional<Interval<double>>>(3)),
              IsEmpty());
}

TEST(Tuning, PairsGiveTheGeometricMeanOfTheirRatios) {
  // ln 0.5 and ln 0.6: mean -0.60199, standard error 0.09116, t(0.975, 1) = 12.706.
  const auto found = ratio_of_pairs(std::vector{5.0, 12.0}, std::vector{10.0, 20.0});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mid, std::sqrt(0.3), 1e-12);
  EXPECT_NEAR(std::log(found->high / found->mid), 12.706 * 0.09116, 1e-3);
  EXPECT_FALSE(ratio_of_pairs({}, std::vector{1.0}));
  const auto single = ratio_of_pairs(std::vector{5.0, 5.0}, std::vector{10.0});
  ASSERT_TRUE(single);
  EXPECT_TRUE(std::isinf(single->high));
}

TEST(Tuning, OnlyABoundBelowOneIsSure) {
  TuneVerdict verdict{{kSettings[0]}, 5, ratio(0.8, 0.9, 1.01), ""};
  EXPECT_FALSE(verdict.is_sure());
  verdict.ratio = ratio(0.8, 0.9, 0.99);
  EXPECT_TRUE(verdict.is_sure());
  verdict.chosen.clear();
  EXPECT_FALSE(verdict.is_sure());
}

MetricPoint metric(const std::string& name, double value, std::int64_t laps) {
  return {name, value, laps, 0, laps};
}

TEST(Tuning, LossesAreComparedAfterEquallyManyLaps) {
  LapLog base, run;
  base.metrics = {metric("loss", 9, 100), metric("step_loss", 2.3, 1), metric("step_loss", 2.0, 4),
                  metric("step_loss", 1.0, 8)};
  run.metrics = {metric("step_loss", 2.4, 1), metric("step_loss", 2.1, 4)};
  const auto loss = compared_loss(run, base);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->laps, 4);
  EXPECT_EQ(loss->value, 2.1);
  EXPECT_EQ(loss->base, 2.0);
  run.metrics = {metric("loss", 1, 7)};
  EXPECT_FALSE(compared_loss(run, base));
  EXPECT_FALSE(compared_loss({}, {}));
}

}  // namespace
}  // namespace lapcast

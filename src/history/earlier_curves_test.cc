#include "forecast/epochs_needed.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

/// Returns a curve that jumps where its learning rate is lowered, which no family of curves does.
double with_a_jump(double epochs, double jump) {
  return 0.6 - 0.5 * std::exp(-epochs / 5) + (epochs > jump ? 0.15 : 0) + epochs * 1e-3;
}

EarlierCurve earlier(const char* id, double batch, double jump, int epochs, double shift = 0) {
  EarlierCurve result{id, {}, batch};
  for (int t = 1; t <= epochs; ++t)
    result.curve.points.push_back({double(t), with_a_jump(t, jump) + shift});
  return result;
}

LearningCurve first(int n, double jump) {
  return earlier("", 0, jump, n).curve;
}

const TrainingGoal kGoal{.metric = "acc", .target = 0.7};

TEST(EarlierCurves, AJumpThatEarlierRunsMadeIsForecast) {
  const std::vector<EarlierCurve> runs{earlier("a", 64, 30, 40), earlier("b", 64, 30, 40, 0.003)};
  const auto forecast = forecast_from_earlier(first(12, 30), kGoal, runs, 64);
  EXPECT_NEAR(forecast.samples.quantile(0.5), 31, 1.5);
  EXPECT_GT(forecast.samples.quantile(0.025), 26);
  EXPECT_LT(forecast.samples.quantile(0.975), 37);
  EXPECT_GT(forecast.likeness, 0.99);
  ASSERT_EQ(forecast.shares.size(), 2u);
  EXPECT_EQ(forecast.shares[0].index, 0u);
  EXPECT_FALSE(forecast.shares[0].other_batch_size);
  EXPECT_NEAR(forecast.samples.weight(), 1, 1e-9);
}

TEST(EarlierCurves, TheSameBatchSizeCountsMostAndOthersLeaveMoreOpen) {
  const std::vector<EarlierCurve> both{earlier("near", 64, 30, 40), earlier("far", 256, 20, 40)};
  const auto forecast = forecast_from_earlier(first(12, 30), kGoal, both, 64);
  EXPECT_EQ(forecast.shares[0].index, 0u);
  EXPECT_GT(forecast.shares[0].share, 0.99);
  const std::vector<EarlierCurve> far{earlier("far", 256, 30, 40)};
  const auto wide = forecast_from_earlier(first(12, 30), kGoal, far, 64);
  EXPECT_TRUE(wide.shares[0].other_batch_size);
  EXPECT_GT(wide.samples.quantile(0.975) - wide.samples.quantile(0.025),
            1.5 * (forecast.samples.quantile(0.975) - forecast.samples.quantile(0.025)));
}

TEST(EarlierCurves, OneThatEndedBeforeTheGoalSaysLongerOrNever) {
  const std::vector<EarlierCurve> runs{earlier("ended", 64, 100, 40)};
  const auto forecast = forecast_from_earlier(first(12, 100), kGoal, runs, 64);
  EXPECT_GE(forecast.samples.quantile(0.025), 36);
  EXPECT_NEAR(forecast.samples.share_up_to(1e300), 0.5, 1e-9);
}

TEST(EarlierCurves, ThoseThatDidNotGoFartherSayNothing) {
  const std::vector<EarlierCurve> runs{earlier("short", 64, 100, 10)};
  EXPECT_TRUE(forecast_from_earlier(first(12, 100), kGoal, runs, 64).samples.empty());
  EXPECT_TRUE(forecast_from_earlier(first(12, 100), kGoal, {}, 64).samples.empty());
}

TEST(EarlierCurves, AnotherMetricUnderTheSameNameIsNoLikeness) {
  std::vector<EarlierCurve> runs{earlier("percent", 64, 30, 40)};
  for (CurvePoint& point : runs[0].curve.points) point.value *= 100;
  EXPECT_LT(forecast_from_earlier(first(12, 30), kGoal, runs, 64).likeness, 1e-6);
}

}  // namespace
}  // namespace lapcast

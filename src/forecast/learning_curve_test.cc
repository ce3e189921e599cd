#include "forecast/learning_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace lapcast {
namespace {

using ::testing::ElementsAre;

LapLog log_of(std::initializer_list<MetricPoint> metrics) {
  LapLog log;
  log.metrics = metrics;
  return log;
}

TEST(LearningCurve, PlacesReportsAtTheirEpochs) {
  const LapLog log =
      log_of({{"val_loss", 0.9, 10, 1, 5}, {"loss", 0.8, 11, 1, 5}, {"val_loss", 0.5, 20, 3, 15}});
  const auto curve = learning_curve(log, "val_loss");
  ASSERT_TRUE(curve);
  EXPECT_THAT(curve->points, ElementsAre(CurvePoint{1, 0.9}, CurvePoint{3, 0.5}));
  EXPECT_FALSE(curve->counts_reports);
}

TEST(LearningCurve, PlacesSeveralReportsOfAnEpochByLaps) {
  LapLog log = log_of({{"acc", 0.1, 1, 1, 4}, {"acc", 0.2, 2, 1, 8}, {"acc", 0.3, 3, 2, 12}});
  log.epochs = {{.epoch = 1, .ended = true, .laps = 8}};
  const auto curve = learning_curve(log, "acc");
  EXPECT_THAT(curve->points,
              ElementsAre(CurvePoint{0.5, 0.1}, CurvePoint{1, 0.2}, CurvePoint{1.5, 0.3}));
}

TEST(LearningCurve, CountsReportsWhereTheLogSaysNoMore) {
  const auto curve = learning_curve(log_of({{"acc", 0.1, 1, 0, 0}, {"acc", 0.2, 2, 0, 0}}), "acc");
  EXPECT_THAT(curve->points, ElementsAre(CurvePoint{1, 0.1}, CurvePoint{2, 0.2}));
  EXPECT_TRUE(curve->counts_reports);
}

TEST(LearningCurve, LeavesOutWhatIsNoNumberAndSaysSo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto curve = learning_curve(log_of({{"acc", nan, 1, 1, 1}, {"acc", 0.2, 2, 2, 2}}), "acc");
  EXPECT_THAT(curve->points, ElementsAre(CurvePoint{2, 0.2}));
  EXPECT_EQ(curve->left_out, 1);
}

TEST(LearningCurve, SeesOnlyTheFirstEpochsWhenAsked) {
  const LapLog log = log_of({{"acc", 0.1, 1, 1, 1}, {"acc", 0.2, 2, 2, 2}, {"acc", 0.3, 3, 3, 3}});
  EXPECT_EQ(learning_curve(log, "acc", 2)->points.size(), 2u);
  EXPECT_EQ(learning_curve(log, "loss").error().text, "it reported no loss");
}

TEST(LearningCurve, NamesSayWhichWayIsBetter) {
  for (const char* name :
       {"loss", "val_loss", "top1_error", "perplexity", "wer", "eval/wer", "CER_cer"})
    EXPECT_TRUE(smaller_is_better(name)) << name;
  for (const char* name : {"accuracy", "val_accuracy", "power", "answer", "bleu", "soccer"})
    EXPECT_FALSE(smaller_is_better(name)) << name;
}

TEST(GoalWatch, ReachesATargetFromEitherSide) {
  GoalWatch up({.metric = "acc", .target = 0.5});
  EXPECT_FALSE(up.reached_by(0.49));
  EXPECT_TRUE(up.reached_by(0.5));
  GoalWatch down({.metric = "loss", .smaller_is_better = true, .target = 0.5});
  EXPECT_FALSE(down.reached_by(0.51));
  EXPECT_TRUE(down.reached_by(0.5));
}

TEST(GoalWatch, LosesPatienceAfterReportsThatAreNoBetter) {
  GoalWatch watch({.metric = "acc", .patience = 2});
  EXPECT_FALSE(watch.reached_by(0.5));
  EXPECT_FALSE(watch.reached_by(0.5));  // the same is not better
  EXPECT_FALSE(watch.reached_by(0.6));
  EXPECT_FALSE(watch.reached_by(0.4));
  EXPECT_TRUE(watch.reached_by(0.5));
}

TEST(GoalWatch, CountsReportsThatAreTakenTogether) {
  GoalWatch watch({.metric = "loss", .smaller_is_better = true, .patience = 5});
  EXPECT_FALSE(watch.reached_by(0.5));
  EXPECT_FALSE(watch.reached_by(0.6, 4));
  EXPECT_TRUE(watch.reached_by(0.6));
}

TEST(LearningCurve, KnowsWhereItReachedTheGoal) {
  const LearningCurve curve{{{1, 0.2}, {3, 0.6}, {5, 0.4}, {7, 0.7}}};
  EXPECT_EQ(epochs_when_reached(curve, {.metric = "acc", .target = 0.55}), 3);
  EXPECT_EQ(epochs_when_reached(curve, {.metric = "acc", .target = 0.8}), std::nullopt);
  EXPECT_EQ(epochs_when_reached(curve, {.metric = "acc", .patience = 1}), 5);
}

TEST(LearningCurve, SpacingIsTheMedianOfTheLastGaps) {
  EXPECT_EQ(evaluation_spacing({{{4, 0.1}}}), 4);
  EXPECT_EQ(evaluation_spacing({{{1, 0.1}, {3, 0.2}}}), 2);
  EXPECT_EQ(evaluation_spacing({{{32, 0.1}, {40, 0.2}, {42, 0.2}, {44, 0.3}, {46, 0.3}}}), 2);
}

/// Makes a log with one report an epoch.
LapLog log_of(const std::string& metric, const std::vector<double>& values) {
  LapLog log;
  std::int32_t epoch = 0;
  for (const double value : values) log.metrics.push_back({metric, value, 0, ++epoch, 0});
  return log;
}

TEST(BestMetric, IsTheLargestUnlessItIsALoss) {
  EXPECT_FALSE(best_metric(LapLog{}, "val_accuracy"));
  const auto accuracy = best_metric(log_of("val_accuracy", {0.5, 0.8, 0.7}), "val_accuracy");
  EXPECT_EQ(accuracy->value, 0.8);
  EXPECT_EQ(accuracy->epoch, 2);
  EXPECT_EQ(accuracy->reports, 3);
  EXPECT_EQ(accuracy->reports_since, 1);
  const auto loss = best_metric(log_of("val_loss", {0.5, 0.8, 0.4}), "val_loss");
  EXPECT_EQ(loss->value, 0.4);
  EXPECT_EQ(loss->reports_since, 0);
  EXPECT_FALSE(best_metric(log_of("loss", {1.0}), "val_loss"));
}

TEST(Patience, EqualIsNoImprovement) {
  const LapLog log = log_of("val_accuracy", {0.9, 0.9, 0.9});
  EXPECT_TRUE(out_of_patience(log, "val_accuracy", 2));
  EXPECT_FALSE(out_of_patience(log, "val_accuracy", 3));
  EXPECT_FALSE(out_of_patience(LapLog{}, "val_accuracy", 1));
}

TEST(Patience, EpochsAreThoseUntilTheRuleFirstHeld) {
  // The best value is that of epoch 2; with a patience of 2 the rule holds after epoch 4, whatever
  // came later.
  const LapLog log = log_of("val_accuracy", {0.5, 0.8, 0.7, 0.8, 0.9, 0.9});
  EXPECT_EQ(epochs_of_patience(log, "val_accuracy", 2), 4);
  EXPECT_EQ(epochs_of_patience(log, "val_accuracy", 3), std::nullopt);
  EXPECT_EQ(epochs_of_patience(LapLog{}, "val_accuracy", 1), std::nullopt);
}

}  // namespace
}  // namespace lapcast

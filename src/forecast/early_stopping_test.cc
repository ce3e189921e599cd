#include "forecast/early_stopping.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

/// One report an epoch.
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
  // Best in epoch 2; with a patience of 2 the rule holds after epoch 4, whatever came later.
  const LapLog log = log_of("val_accuracy", {0.5, 0.8, 0.7, 0.8, 0.9, 0.9});
  EXPECT_EQ(epochs_of_patience(log, "val_accuracy", 2), 4);
  EXPECT_EQ(epochs_of_patience(log, "val_accuracy", 3), std::nullopt);
  EXPECT_EQ(epochs_of_patience(LapLog{}, "val_accuracy", 1), std::nullopt);
}

}  // namespace
}  // namespace lapcast

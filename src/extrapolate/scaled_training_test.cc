#include "extrapolate/scaled_training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <vector>

namespace lapcast {
namespace {

constexpr Seconds kStart{10};

/// Returns a training of 1,000 laps of one worker's batch of 32, measured within 1 %, with as many
/// samples a lap as `batch` says.
TrainingOnWorkers on(double workers, double lap, double batch) {
  const Seconds mid{lap}, all{lap * 32000 / batch};
  return {.run = "run" + std::to_string(int(workers)),
          .workers = {1, workers},
          .batch = batch,
          .lap = {mid * .99, mid, mid * 1.01},
          .training = {kStart + all * .98, kStart + all, kStart + all * 1.02},
          .fixed = kStart};
}

TEST(ScaledTrainingTest, SamplesOfLapsTellWhoseTheBatchIs) {
  EXPECT_EQ(batch_rule_of(std::vector{on(1, 1, 32), on(2, 1, 64)}), BatchRule::per_worker);
  EXPECT_EQ(batch_rule_of(std::vector{on(1, 1, 32), on(2, .6, 32)}), BatchRule::global);
  EXPECT_EQ(batch_rule_of(std::vector{on(2, 1, 64)}), BatchRule::assumed_per_worker);
  EXPECT_EQ(batch_rule_of(std::vector{on(1, 1, 0), on(2, 1, 0)}), BatchRule::assumed_per_worker);
}

TEST(ScaledTrainingTest, MeasuredRowsStayAsMeasuredAndOthersAreScaled) {
  const std::vector runs{on(1, 1, 32), on(2, 1, 64)};
  const int asked[] = {1, 2, 4};
  const ScaledTrainings found = scale_training(runs, asked, 0).value();
  ASSERT_EQ(found.rows.size(), 3u);
  EXPECT_EQ(found.rows[0].measured, &runs[0]);
  EXPECT_EQ(found.rows[1].measured, &runs[1]);
  EXPECT_EQ(found.rows[1].training, runs[1].training);
  EXPECT_EQ(found.rows[1].speed_up, 2);
  EXPECT_EQ(found.rows[2].measured, nullptr);
  // 250 laps of about a second, and what laps do not change.
  EXPECT_NEAR(found.rows[2].training.mid.count(), 260, 15);
  EXPECT_NEAR(found.rows[2].speed_up, 4, 0.25);
  EXPECT_LT(found.rows[2].training.low, found.rows[2].training.mid);
}

TEST(ScaledTrainingTest, RatiosOfTrainingsAreThoseOfTheirRows) {
  const std::vector runs{on(1, 1, 32), on(2, 1, 64)}, shared{on(1, 1, 32), on(2, .52, 32)};
  const int asked[] = {2, 4};
  for (const auto& known : {runs, shared}) {
    const auto ratios =
        intervals_of_draws(log_ratios_of_training(known, asked, 500, 7), std::size(asked));
    const ScaledTrainings found = scale_training(known, asked, 0).value();
    EXPECT_NEAR(
        ratios[0].mid,
        std::log(known[1].lap.mid / known[0].lap.mid) - (known[1].batch > 32 ? std::log(2.0) : 0),
        0.05);
    const Seconds laps = found.rows[1].training.mid - kStart;
    EXPECT_NEAR(ratios[1].mid, std::log(laps.count() / 1000), 0.05);
    const auto elsewhere =
        intervals_of_draws(log_ratios_of_training(known, asked, 500, 7, 2), std::size(asked));
    EXPECT_GT(elsewhere[1].high, ratios[1].high);
  }
}

TEST(ScaledTrainingTest, WorkersThatShareABatchMakeAsManyLaps) {
  const std::vector runs{on(1, 1, 32), on(2, .52, 32)};
  const int asked[] = {4};
  const ScaledTraining row = scale_training(runs, asked, 0).value().rows.front();
  EXPECT_NEAR(row.training.mid.count(), 10 + 1000 * row.lap.mid.count(), 1e-6);
  EXPECT_GT(row.lap.mid.count(), 0.2);
  EXPECT_LT(row.lap.mid.count(), 0.5);
}

TEST(ScaledTrainingTest, ATrainingOfANumberOfLapsHasThemOnAnyNumberOfWorkers) {
  TrainingOnWorkers one = on(1, 1, 32);
  one.counts_laps = true;
  const int asked[] = {4};
  const ScaledTrainings found = scale_training(std::vector{one}, asked, 0).value();
  EXPECT_GT(found.rows.front().training.mid.count(), 1000);
}

Interval<double> just(double epochs) {
  return Interval<double>::exactly(epochs);
}

TEST(ScaledTrainingTest, EpochsLieOnALineOverTheLogarithmOfTheBatch) {
  const EpochsByBatch known{{64, {8, 10, 13}}, {256, just(20)}};
  EXPECT_EQ(epochs_at(known, 32), (Interval<double>{8, 10, 13}));
  EXPECT_EQ(epochs_at(known, 64).mid, 10);
  const Interval<double> between = epochs_at(known, 128);
  EXPECT_NEAR(between.low, 14, 1e-9);
  EXPECT_NEAR(between.mid, 15, 1e-9);
  EXPECT_NEAR(between.high, 16.5, 1e-9);
  EXPECT_EQ(epochs_at(known, 1024), just(20));
}

TEST(ScaledTrainingTest, LargerGlobalBatchesMakeTheEpochsThatTheyNeed) {
  TrainingOnWorkers one = on(1, 1, 32);
  one.epochs = 10;
  const int asked[] = {4};
  const std::vector runs{one};
  const auto laps = [&](const EpochsByBatch& stated) {
    return (scale_training(runs, asked, 0, stated).value().rows.front().training.mid - kStart)
        .count();
  };
  EXPECT_NEAR(laps({{32, just(10)}, {128, just(15)}}), 1.5 * laps({}), 1e-6);
}

TEST(ScaledTrainingTest, TheIntervalHoldsWhatOneMoreTrainingMayNeed) {
  std::vector runs{on(1, 1, 32), on(2, 1, 64)};
  for (TrainingOnWorkers& run : runs) run.epochs = 10;
  const int asked[] = {2, 4};
  const EpochsByBatch sure{{32, just(10)}, {128, just(20)}};
  const EpochsByBatch unsure{{32, {5, 10, 20}}, {128, {10, 20, 40}}};
  const auto sure_rows = scale_training(runs, asked, 0, sure).value().rows;
  const auto rows = scale_training(runs, asked, 0, unsure).value().rows;
  for (std::size_t i = 0; i < std::size(asked); ++i) {
    EXPECT_NEAR(rows[i].training.mid.count(), sure_rows[i].training.mid.count(), 1e-6);
    // A factor of 2 to both sides, and the error of the laps in squares.
    EXPECT_LT((rows[i].training.low - kStart).count(),
              (rows[i].training.mid - kStart).count() / 1.99);
    EXPECT_GT((rows[i].training.high - kStart).count(),
              (rows[i].training.mid - kStart).count() * 1.99);
    EXPECT_LT(rows[i].training.high, 2.5 * rows[i].training.mid);
  }
  EXPECT_EQ(rows[1].epochs, (Interval<double>{10, 20, 40}));
  const auto ratios = [&](const EpochsByBatch& needs) {
    return intervals_of_draws(log_ratios_of_training(runs, asked, 500, 7, 0, needs), 2);
  };
  EXPECT_NEAR(ratios(sure)[1].mid - ratios({})[1].mid, std::log(2.0), 1e-9);
  EXPECT_GT(ratios(unsure)[1].high, ratios(sure)[1].high + 0.3);
}

TEST(ScaledTrainingTest, AFullNodeIsProbedBeforeTwoWorkersAndTwoNodesWhereNodesAreCrossed) {
  const std::vector runs{on(1, 1, 32)};
  const int in_node[] = {2, 4, 8};
  const auto full = scale_training(runs, in_node, 0).value().probe;
  ASSERT_TRUE(full);
  EXPECT_EQ(full->workers, (Workers{1, 8}));
  EXPECT_LT(full->spread_after, full->spread_now);
  const int across[] = {16, 32, 64};
  const auto two = scale_training(runs, across, 8).value().probe;
  ASSERT_TRUE(two);
  EXPECT_EQ(two->workers.nodes, 2);
}

TEST(ScaledTrainingTest, WhatIsAllMeasuredNeedsNoProbe) {
  const std::vector runs{on(1, 1, 32), on(2, 1, 64)};
  const int asked[] = {1, 2};
  EXPECT_FALSE(scale_training(runs, asked, 0).value().probe);
  EXPECT_FALSE(scale_training({}, asked, 0));
}

}  // namespace
}  // namespace lapcast

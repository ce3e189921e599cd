#include "formats/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(MetricsCsv, WithoutTimesOnlyMetricsAreKnown) {
  const ImportedLog imported = import_metrics_csv(
      "epoch,accuracy,loss,val_accuracy,val_loss\n0,0.5,1.5,0.4,1.6\n1,0.6,1.2,NA,1.3\n", "a.csv");
  EXPECT_THAT(imported.problems, IsEmpty());
  ASSERT_EQ(imported.runs.size(), 1U);
  const auto& run = imported.runs[0];
  EXPECT_EQ(
      run.outcome,
      Outcome{outcome::NoLaps{"its rows have no times: only the metrics of each epoch are known"}});
  const LapLog log = *laps_of(run);
  EXPECT_THAT(log.laps, IsEmpty());
  EXPECT_EQ(log.epochs.size(), 2U);
  ASSERT_EQ(log.metrics.size(), 7U);
  EXPECT_EQ(log.metrics[6].name, "val_loss");
  EXPECT_EQ(log.metrics[6].epoch, 2);
}

TEST(MetricsCsv, AColumnOfLengthsMakesLaps) {
  const auto run =
      import_metrics_csv("epoch;loss;epoch_time\n0;1.5;12\n1;1.2;10\n2;1.1;10\n", "b.csv")
          .runs.at(0);
  EXPECT_THAT(run.warnings, ElementsAre("laps are the epochs of the log, by its column "
                                        "'epoch_time'"));
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 3U);
  EXPECT_EQ(log.laps[0].seconds(), Seconds{12});
  EXPECT_EQ(log.laps[2].seconds(), Seconds{10});
  EXPECT_EQ(run.wall(), Seconds{32});
}

TEST(MetricsCsv, AColumnOfMomentsKnowsNoFirstLap) {
  const auto run =
      import_metrics_csv("epoch,timestamp\n0,1600000000\n1,1600000010\n2,1600000021\n", "c.csv")
          .runs.at(0);
  EXPECT_EQ(run.context.started_at, "2020-09-13T12:26:40Z");
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 2U);
  EXPECT_EQ(log.laps[1].seconds(), Seconds{11});
}

// As Flair writes them: ends of epochs, 40 minutes apart.
TEST(MetricsCsv, MomentsWithoutADateGoOnAfterMidnight) {
  const auto run = import_metrics_csv(
                       "EPOCH\tTIMESTAMP\tLOSS\n1\t22:30:00\t3\n2\t23:10:00\t2\n3\t23:50:00\t2\n"
                       "4\t00:30:00\t1\n",
                       "loss.tsv")
                       .runs.at(0);
  EXPECT_EQ(run.context.started_at, "");
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 3U);
  for (const Lap& lap : log.laps) EXPECT_EQ(lap.seconds(), Seconds{2400});
  EXPECT_EQ(run.wall(), Seconds{7200});
}

// As Stable-Baselines3 writes them: three counters, of which one counts the steps.
TEST(MetricsCsv, TimestepsAreSteps) {
  const auto run =
      import_metrics_csv(
          "rollout/ep_len_mean,time/time_elapsed,time/fps,time/episodes,"
          "time/total_timesteps\n50,2,1000,4,2000\n51,4,1000,8,4000\n52,6,1000,12,6000\n",
          "progress.csv")
          .runs.at(0);
  EXPECT_EQ(laps_of(run)->laps.size(), 6000U);
  EXPECT_EQ(run.wall(), Seconds{6});
}

TEST(MetricsCsv, ATimeIsFoundByTheWordsOfItsNameAndItsUnit) {
  const auto wall_of = [](const std::string& name, const std::string& values) {
    std::string text = "Epoch,loss," + name + "\n";
    int epoch = 0;
    for (std::size_t at = 0; at < values.size(); at = values.find(' ', at) + 1) {
      text +=
          std::to_string(++epoch) + ",0.5," + values.substr(at, values.find(' ', at) - at) + "\n";
      if (values.find(' ', at) == std::string::npos) break;
    }
    return import_metrics_csv(text, "w.csv").runs.at(0).wall();
  };
  EXPECT_EQ(wall_of("dur", "12 10 11"), Seconds{33});
  EXPECT_EQ(wall_of("Epoch Time (s)", "12 10 11"), Seconds{33});
  EXPECT_EQ(wall_of("time_min", "2 1 1.5"), Seconds{270});
  EXPECT_EQ(wall_of("epoch_time_ms", "2000 1000 1500"), Seconds{4.5});
  for (const char* other : {"step_time", "val_time", "tokens/sec", "min_loss", "eta_seconds", "lr"})
    EXPECT_EQ(wall_of(other, "12 10 11"), Seconds{0}) << other;
}

TEST(MetricsCsv, AColumnOfMomentsIsOneByItsNumbers) {
  const auto run = import_metrics_csv(
                       "epoch,loss,finished\n1,3,2026-11-20 12:00:12\n2,2,2026-11-20 12:00:25\n"
                       "3,1,2026-11-20 12:00:37\n",
                       "m.csv")
                       .runs.at(0);
  EXPECT_EQ(run.context.started_at, "2026-11-20T12:00:12Z");
  EXPECT_EQ(run.wall(), Seconds{25});
}

TEST(MetricsCsv, PrintedTablesAreRead) {
  const std::string skorch =
      "Re-initializing module.\n"
      "  epoch    train_loss    valid_acc    valid_loss    cp     dur\n"
      "-------  ------------  -----------  ------------  ----  ------\n"
      "      1        \x1b[36m0.6905\x1b[0m       \x1b[32m0.6150\x1b[0m        0.6749     +  "
      "12.000\n"
      "      2        0.6648       0.6450        0.6633        10.500\n"
      "Stopping since valid_loss has not improved\n"
      "      3        0.6619       0.6750        0.6533        10.000\n";
  const auto run = import_metrics_csv(skorch, "net.txt").runs.at(0);
  EXPECT_EQ(run.wall(), Seconds{32.5});
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 3U);
  EXPECT_EQ(log.laps[1].seconds(), Seconds{10.5});
  EXPECT_EQ(log.metrics.front().name, "train_loss");
  const auto bars = import_metrics_csv(
      "| Epoch | Training Loss | Time  |\n|---|---|---|\n| 1 | 0.9 | 00:12 |\n| 2 | 0.8 | 00:11 "
      "|\n",
      "log.md");
  EXPECT_EQ(bars.runs.at(0).wall(), Seconds{23});
  EXPECT_THAT(import_metrics_csv("the first epoch\n1 2 3\n", "x").runs, IsEmpty());
}

TEST(EpochsJson, TheHistoryOfSkorchIsRead) {
  const auto run = import_epochs_json(
                       R"([{"batches": [{"train_loss": 1}], "epoch": 1, "dur": 2.5, "best": true},
                           {"batches": [], "epoch": 2, "dur": 2, "valid_loss": 0.5}])",
                       "history.json")
                       .runs.at(0);
  EXPECT_EQ(run.wall(), Seconds{4.5});
  EXPECT_EQ(laps_of(run)->metrics.size(), 1U);
}

// By its name it is the time since the start, by its numbers the time of each epoch.
TEST(MetricsCsv, WhatTheNumbersOfATimeDoSaysWhatItIs) {
  const auto lengths = import_metrics_csv("epoch,elapsed\n0,11\n1,10\n2,12\n", "d.csv").runs.at(0);
  EXPECT_EQ(lengths.wall(), Seconds{33});
  const auto sums = import_metrics_csv("epoch,time\n0,11\n1,21\n2,33\n", "d.csv").runs.at(0);
  EXPECT_EQ(sums.wall(), Seconds{33});
  EXPECT_EQ(laps_of(sums)->laps.at(1).seconds(), Seconds{10});
}

TEST(MetricsCsv, AProgramThatWasStartedAgainGoesOn) {
  const ImportedLog imported = import_metrics_csv(
      "epoch,elapsed\n0,61\n1,119.5\n2,178\nepoch,elapsed\n3,60\n4,119\n", "d.csv");
  ASSERT_EQ(imported.runs.size(), 1U);
  const LapLog log = *laps_of(imported.runs[0]);
  ASSERT_EQ(log.laps.size(), 5U);
  EXPECT_NEAR(log.laps[3].seconds().count(), 60, 1e-6);
  EXPECT_NEAR(log.laps[4].seconds().count(), 59, 1e-6);
}

TEST(MetricsCsv, ReadsMinutesAndSeconds) {
  const auto run = import_metrics_csv(
                       "epoch,train_loss,time\n0,0.4,00:18\n1,0.3,00:17\n2,0.3,01:02:03\n", "f.csv")
                       .runs.at(0);
  EXPECT_NEAR(laps_of(run)->laps.at(0).seconds().count(), 18, 1e-6);
  EXPECT_NEAR(laps_of(run)->laps.at(2).seconds().count(), 3723, 1e-6);
}

TEST(MetricsCsv, RowsOfOneEpochAreOneEpoch) {
  const ImportedLog imported = import_metrics_csv(
      "epoch,lr,step,train_loss,val_loss\n,0.1,49,,\n0,,49,0.9,\n0,,99,,0.8\n1,,149,0.7,\n1,,199,,"
      "0.6\n",
      "metrics.csv");
  ASSERT_EQ(imported.runs.size(), 1U);
  const LapLog log = *laps_of(imported.runs[0]);
  EXPECT_EQ(log.epochs.size(), 2U);
  EXPECT_EQ(log.plan->epochs, 2);
  EXPECT_TRUE(std::holds_alternative<outcome::NoLaps>(imported.runs[0].outcome));
}

// 100 steps in 10 s, 100 in 10 s, and 100 with an evaluation of 5 s in 15 s.
TEST(MetricsCsv, LoggedStepsBecomeLaps) {
  const auto run = import_metrics_csv(
                       "_step,_runtime,loss,val/loss\n100,12,1,\n200,22,0.9,\n"
                       "300,37,0.8,\n300,37,,0.7\n400,47,0.6,\n",
                       "wandb.csv")
                       .runs.at(0);
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 400U);
  EXPECT_EQ(log.plan->steps, 400);
  EXPECT_NEAR(log.laps[150].seconds().count(), 0.1, 1e-9);
  EXPECT_NEAR(log.laps[250].seconds().count(), 0.1, 1e-9);
  ASSERT_EQ(log.validations.size(), 1U);
  EXPECT_NEAR(log.validations[0].span.seconds().count(), 5, 1e-6);
}

// Found by fuzzing: a lap log could not say it.
TEST(MetricsCsv, AMomentInTheFarFutureIsNone) {
  const auto run = import_metrics_csv("epoch,timestamp\n1,16000000002\n", "d.csv").runs.at(0);
  EXPECT_TRUE(std::holds_alternative<outcome::NoLaps>(run.outcome));
  EXPECT_EQ(laps_of(run)->damage, std::nullopt);
}

TEST(MetricsCsv, AnAppendedLogIsSeveralRuns) {
  const ImportedLog imported =
      import_metrics_csv("epoch,time\n0,3\n1,2\nepoch,time\n0,4\n1,5\n0,1\n", "e.csv");
  ASSERT_EQ(imported.runs.size(), 3U);
  EXPECT_EQ(imported.runs[1].wall(), Seconds{9});
}

TEST(MetricsCsv, SaysWhatIsWrong) {
  EXPECT_THAT(import_metrics_csv("", "f").problems,
              ElementsAre("no header with a column epoch or step"));
  EXPECT_THAT(import_metrics_csv("epoch,loss\n", "g").problems,
              ElementsAre("no row with an epoch or a step"));
  const ImportedLog imported = import_metrics_csv("epoch,loss\nx,1\n1,2\n\"a\"b,2\n", "h");
  EXPECT_EQ(imported.runs.size(), 1U);
  EXPECT_THAT(imported.problems,
              ElementsAre("line 4: a quote stands where none may stand; 2 rows left out in all"));
}

}  // namespace
}  // namespace lapcast

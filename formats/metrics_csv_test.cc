#include "formats/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(KerasCsv, WithoutTimesOnlyMetricsAreKnown) {
  const ImportedLog imported = import_keras_csv(
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

TEST(KerasCsv, AColumnOfLengthsMakesLaps) {
  const auto run =
      import_keras_csv("epoch;loss;epoch_time\n0;1.5;12\n1;1.2;10\n2;1.1;10\n", "b.csv").runs.at(0);
  EXPECT_THAT(run.warnings, ElementsAre("laps are the epochs of the log, by its column "
                                        "'epoch_time'"));
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 3U);
  EXPECT_EQ(log.laps[0].seconds(), Seconds{12});
  EXPECT_EQ(log.laps[2].seconds(), Seconds{10});
  EXPECT_EQ(run.wall(), Seconds{32});
}

TEST(KerasCsv, AColumnOfMomentsKnowsNoFirstLap) {
  const auto run =
      import_keras_csv("epoch,timestamp\n0,1600000000\n1,1600000010\n2,1600000021\n", "c.csv")
          .runs.at(0);
  EXPECT_EQ(run.context.started_at, "2020-09-13T12:26:40Z");
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 2U);
  EXPECT_EQ(log.laps[1].seconds(), Seconds{11});
}

TEST(KerasCsv, TimesThatGoBackAreNoTimes) {
  const auto run = import_keras_csv("epoch,elapsed\n0,10\n1,5\n", "d.csv").runs.at(0);
  EXPECT_EQ(
      run.outcome,
      Outcome{outcome::NoLaps{"line 3: its column 'elapsed' has no time, or one that goes back"}});
}

// Found by fuzzing: a lap log could not say it.
TEST(KerasCsv, AMomentInTheFarFutureIsNone) {
  const auto run = import_keras_csv("epoch,timestamp\n1,16000000002\n", "d.csv").runs.at(0);
  EXPECT_TRUE(std::holds_alternative<outcome::NoLaps>(run.outcome));
  EXPECT_EQ(laps_of(run)->damage, std::nullopt);
}

TEST(KerasCsv, AnAppendedLogIsSeveralRuns) {
  const ImportedLog imported =
      import_keras_csv("epoch,time\n0,3\n1,2\nepoch,time\n0,4\n1,5\n0,1\n", "e.csv");
  ASSERT_EQ(imported.runs.size(), 3U);
  EXPECT_EQ(imported.runs[1].wall(), Seconds{9});
}

TEST(KerasCsv, SaysWhatIsWrong) {
  EXPECT_THAT(import_keras_csv("", "f").problems, ElementsAre("no header with a column epoch"));
  EXPECT_THAT(import_keras_csv("epoch,loss\n", "g").problems, ElementsAre("no row with an epoch"));
  const ImportedLog imported = import_keras_csv("epoch,loss\nx,1\n1,2\n\"a\"b,2\n", "h");
  EXPECT_EQ(imported.runs.size(), 1U);
  EXPECT_THAT(imported.problems, ElementsAre("line 2: no number in the column epoch; 2 rows left "
                                             "out in all"));
}

}  // namespace
}  // namespace lapcast

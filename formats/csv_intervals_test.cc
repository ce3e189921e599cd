#include "formats/csv_intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One step and an evaluation of 30 s before the training, then 100 steps in 50 s with an evaluation
// of 10 s, and 100 in 40 s with one of 5 s.
constexpr std::string_view kEvals =
    "global_step,accumulated_eval_time,total_duration,validation/loss\n"
    "1,30,36,0.9\n101,40,96,0.5\n201,45,141,0.4\n";

TEST(CsvIntervals, EvaluationsOfAlgoperfAreNoTraining) {
  const ImportedLog imported = import_algoperf(kEvals, "eval_measurements.csv");
  EXPECT_THAT(imported.problems, IsEmpty());
  ASSERT_EQ(imported.runs.size(), 1U);
  EXPECT_EQ(imported.runs[0].wall(), Seconds{141});
  const LapLog log = *laps_of(imported.runs[0]);
  ASSERT_EQ(log.laps.size(), 2U);
  EXPECT_EQ(log.laps[0].begin_ns, 36'000'000'000);
  EXPECT_EQ(log.laps[0].seconds(), Seconds{50});
  EXPECT_EQ(log.laps[0].samples, 100);
  EXPECT_EQ(log.laps[1].seconds(), Seconds{40});
  ASSERT_EQ(log.validations.size(), 3U);
  EXPECT_EQ(log.validations[2].span.seconds(), Seconds{5});
  EXPECT_EQ(log.plan->epochs, 2);
  ASSERT_EQ(log.metrics.size(), 3U);
  EXPECT_EQ(log.metrics[2].name, "validation/loss");
}

TEST(CsvIntervals, ColumnsAreNamedOrFound) {
  const auto columns = interval_columns("step=batches,seconds=at");
  ASSERT_TRUE(columns);
  const auto named = import_intervals("at,batches\n10,100\n19,200\n", "a.csv", *columns).runs.at(0);
  const auto found = import_intervals("step,seconds\n100,10\n200,19\n", "b.csv", {}).runs.at(0);
  EXPECT_EQ(named.lap_logs, found.lap_logs);
  EXPECT_EQ(laps_of(found)->laps.at(1).seconds(), Seconds{9});
  EXPECT_FALSE(interval_columns("steps=batches"));
  EXPECT_FALSE(interval_columns("step="));
  EXPECT_THAT(import_intervals("at,n\n1,1\n", "c.csv", *columns).problems,
              ElementsAre("no column 'batches'"));
}

TEST(CsvIntervals, SecondsThatFallAreThoseOfEachRow) {
  const auto run = import_intervals("step,seconds\n10,8\n20,5\n30,6\n", "a.csv", {}).runs.at(0);
  EXPECT_EQ(run.wall(), Seconds{19});
  EXPECT_EQ(laps_of(run)->laps.at(2).seconds(), Seconds{6});
}

TEST(CsvIntervals, StepsThatFallOrAnotherRunBeginARun) {
  EXPECT_EQ(import_intervals("step,seconds\n1,1\n2,2\n1,3\n2,4\n", "a.csv", {}).runs.size(), 2U);
  const auto named =
      import_intervals("run,step,seconds\na,1,1\na,2,2\nb,3,3\nb,4,4\n", "a.csv", {});
  ASSERT_EQ(named.runs.size(), 2U);
  EXPECT_EQ(named.runs[1].context.imported_from, "csv-intervals a.csv b");
}

TEST(CsvIntervals, SaysWhatIsWrong) {
  EXPECT_THAT(import_intervals("", "f", {}).problems,
              ElementsAre("no columns of steps and seconds; --columns names them"));
  EXPECT_THAT(import_intervals("step,seconds\n", "f", {}).problems,
              ElementsAre("no row with steps and seconds"));
  const auto imported =
      import_intervals("evaluation,step,seconds\n0,1,1\n,2,2\n2,x,3\n3,3,3\n3,3,4\n", "f", {});
  EXPECT_THAT(imported.problems,
              ElementsAre("line 3: no number of an evaluation; 3 rows left out in all"));
  EXPECT_EQ(laps_of(imported.runs.at(0))->laps.size(), 2U);
}

}  // namespace
}  // namespace lapcast

#include "accuracy/run_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast::accuracy {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kRuns =
    "run_id,round,submitter,system,benchmark,hw_family,framework,global_batch,train_samples,"
    "total_s,"
    "unit_kind,units_done\n";

struct Tables {
  LoggedRuns runs;
  Dropped dropped;

  void read(CsvTable table, std::string_view text) {
    table.feed(text);
    table.finish();
  }
  void read_runs(const std::string& rows) { read(run_table(runs, dropped), kRuns + rows); }
};

TEST(RunTables, ARun) {
  Tables tables;
  tables.read_runs("v1/Org/s/ssd/result_0,v1,Org,s,ssd,A100,MXNet,256,117266,100.5,block,39\n");
  ASSERT_EQ(tables.runs.runs.size(), 1u);
  const LoggedRun& run = tables.runs.runs[0];
  EXPECT_EQ(run.submitter, "Org");
  EXPECT_EQ(run.family, "A100");
  EXPECT_EQ(run.global_batch, 256);
  EXPECT_EQ(run.train_samples, 117266);
  EXPECT_EQ(run.total, Seconds{100.5});
  EXPECT_EQ(run.unit, MllogUnit::block);
  EXPECT_EQ(run.units, 39);
}

TEST(RunTables, RowsThatAreNoRunAreCounted) {
  Tables tables;
  tables.read_runs(
      ",v1,Org,s,ssd,A100,,,,100,epoch,5\n"
      "a,v1,Org,s,ssd,A100,,,,0,epoch,5\n"
      "a,v1,Org,s,ssd,A100,,,,1e300,epoch,5\n"
      "a,v1,Org,s,ssd,A100,,,,100,epoch,5\n"
      "a,v1,Org,s,ssd,A100,,,,100,epoch,5\n");
  EXPECT_EQ(tables.runs.runs.size(), 1u);
  EXPECT_THAT(tables.dropped.counts(),
              ElementsAre(Pair("runs.csv: a row without a run_id", 1),
                          Pair("runs.csv: a run without a total time", 2),
                          Pair("runs.csv: a run_id that was there before", 1)));
}

TEST(RunTables, EventsOfUnitsAndEvaluationsOnly) {
  Tables tables;
  tables.read_runs("a,v1,Org,s,ssd,A100,,,,100,epoch,5\n");
  tables.read(event_table(tables.runs, tables.dropped),
              "run_id,t_ms,key,epoch,count,value\n"
              "a,0,run_start,,,\n"
              "a,1500,train_epoch,1,,\n"
              "a,2000,block_start,1,4,\n"
              "a,2500,eval_accuracy,1,,0.25\n"
              "a,x,eval_accuracy,1,,0.25\n"
              "b,2500,eval_accuracy,1,,0.25\n"
              "a,90000,run_stop,,,\n");
  const auto& events = tables.runs.runs[0].events;
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].key, MllogKey::epoch_start);
  EXPECT_EQ(events[0].time_ns, 1'500'000'000);
  EXPECT_EQ(events[1].epoch_count, 4);
  EXPECT_EQ(events[2].value, 0.25);
  EXPECT_THAT(tables.dropped.counts(),
              ElementsAre(Pair("events.csv: an event of a run that is not in runs.csv", 1),
                          Pair("events.csv: an event without a time", 1)));
}

TEST(RunTables, EvaluationsOfWhichSomeHaveNoBegin) {
  Tables tables;
  tables.read_runs("a,v1,Org,s,ncf,A100,,,,100,epoch,5\nb,v1,Org,s,ncf,A100,,,,100,epoch,5\n");
  std::string events = "run_id,t_ms,key,epoch,count,value\n";
  for (int i = 0; i < 10; ++i) {
    const auto event = [&](const char* run, const char* key) {
      events += run + ("," + std::to_string(1000 * i)) + "," + key + ",,,\n";
    };
    event("a", "eval_accuracy");  // all but two have a begin and an end
    if (i > 1) event("a", "eval_start");
    if (i > 1) event("a", "eval_stop");
    event("b", "eval_accuracy");  // all but one
    if (i > 0) event("b", "eval_start");
  }
  tables.read(event_table(tables.runs, tables.dropped), events);
  drop_uneven_evaluations(tables.runs, tables.dropped);
  EXPECT_EQ(tables.runs.runs[0].events.size(), 10u);
  EXPECT_EQ(tables.runs.runs[1].events.size(), 19u);
  EXPECT_EQ(tables.dropped.counts().begin()->second, 1);
}

TEST(RunTables, ProgressLines) {
  Tables tables;
  tables.read_runs("a,v1,Org,s,ssd,A100,,,,100,epoch,5\n");
  tables.read(progress_table(tables.runs, tables.dropped),
              "run_id,kind,t_ms,epoch,iter_in_epoch_or_global,reported\n"
              "a,mxnet,5000,0,20,1000\n"
              "a,maskrcnn,6000,,50,0.1\n"
              "a,mxnet,7000,0,40,0\n");
  const LoggedRun& run = tables.runs.runs[0];
  EXPECT_EQ(run.progress_kind, "mxnet");
  ASSERT_EQ(run.progress.size(), 1u);
  EXPECT_EQ(run.progress[0].at, Seconds{5});
  EXPECT_EQ(run.progress[0].epoch, 0);
  EXPECT_EQ(run.progress[0].iteration, 20);
  EXPECT_EQ(run.progress[0].reported, 1000);
  EXPECT_EQ(tables.dropped.counts().size(), 2u);
}

}  // namespace
}  // namespace lapcast::accuracy

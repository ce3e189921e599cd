#include "accuracy/evaluation_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accuracy/epochs_to_target.h"
#include "posix/folder_test.h"

namespace lapcast::accuracy {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

class Evaluations : public FolderTest {
 protected:
  LoggedRuns runs_;
  Dropped dropped_;
  std::vector<std::string> notes_;

  void add_run(const std::string& id, const std::string& submitter,
               const char* benchmark = "resnet") {
    LoggedRun run;
    run.id = id;
    run.submitter = submitter;
    run.benchmark = benchmark;
    run.round = "v0.7";
    run.global_batch = 256;
    runs_.by_id[id] = runs_.runs.size();
    runs_.runs.push_back(run);
  }
  std::vector<EvaluatedRun> read(const std::string& rows) {
    write_text(folder_ / "curves.csv", "run_id,eval_index,epoch_or_samples,t_ms,value\n" + rows);
    return read_evaluations(folder_, runs_, dropped_, notes_);
  }
};

TEST_F(Evaluations, PlacesAreEpochsWhereTheyAscend) {
  for (const char* id : {"a", "b", "c", "d"}) add_run(id, "X");
  const auto runs = read(
      "a,0,4,1,0.1\na,1,8,2,0.2\n"
      "b,0,0,1,0.1\nb,1,2,2,0.2\n"
      "c,0,1,1,0.1\nc,1,1,2,0.2\n"
      "d,0,50000,1,0.1\nd,1,90000,2,0.2\n");
  ASSERT_THAT(runs, SizeIs(4));
  EXPECT_THAT(runs[0].curve.points, ElementsAre(CurvePoint{4, 0.1}, CurvePoint{8, 0.2}));
  EXPECT_THAT(runs[1].curve.points, ElementsAre(CurvePoint{2, 0.1}, CurvePoint{4, 0.2}));
  EXPECT_THAT(runs[2].curve.points, ElementsAre(CurvePoint{1, 0.1}, CurvePoint{2, 0.2}));
  EXPECT_THAT(runs[3].curve.points, ElementsAre(CurvePoint{1, 0.1}, CurvePoint{2, 0.2}));
  EXPECT_TRUE(runs[3].curve.counts_reports);
}

TEST_F(Evaluations, WhatCannotBeUsedIsCounted) {
  add_run("a", "X");
  add_run("odd", "X", "chess");
  const auto runs = read("a,0,1,1,0.1\na,1,2,2,much\nnobody,0,1,1,0.1\nodd,0,1,1,0.1\nshort,row\n");
  EXPECT_THAT(runs, SizeIs(1));
  EXPECT_THAT(dropped_.counts(),
              Contains(Pair("curves.csv: an evaluation without run or value", 1)));
  EXPECT_THAT(dropped_.counts(),
              Contains(Pair("evaluations of a run that runs.csv does not have", 1)));
  EXPECT_THAT(dropped_.counts(),
              Contains(Pair("evaluations of a benchmark whose target is not known", 1)));
  EXPECT_THAT(
      dropped_.counts(),
      Contains(Pair("curves.csv: a row that is not CSV or has too few or too many cells", 1)));
}

TEST_F(Evaluations, RunsThatAreAllAlikeAreForecast) {
  std::string rows;
  for (const std::string id : {"a", "b", "c", "d"}) {
    add_run(id, id);
    for (int i = 1; i <= 10; ++i)
      rows += id + "," + std::to_string(i) + "," + std::to_string(4 * i) + ",0," +
              (i == 10 ? "0.76" : "0.0" + std::to_string(i)) + "\n";
  }
  add_run("never", "a");
  rows += "never,0,4,1,0.1\nnever,1,8,1,0.1\n";
  const auto runs = read(rows);
  const SubmitterParts parts = split({"a", "b", "c", "d"});
  const auto lines = epochs_to_target(runs, parts, dropped_);
  EXPECT_THAT(lines,
              Contains(ContainsRegex("^row\tepochs to target: resnet\t50 % of the evaluations\t4\t"
                                     "[^\t]+\t[^\t]+\t0.0\t0.0\t0.0\t0.0\t100.0\t0.0\n$")));
  EXPECT_THAT(lines,
              Contains(ContainsRegex("^row\tepochs to target: resnet\t30 % of the evaluations\t4\t"
                                     "[^\t]+\t[^\t]+\t40.0\t40.0\t")));
  EXPECT_THAT(dropped_.counts(), Contains(Pair("epochs to target: the run did not reach it", 1)));
}

}  // namespace
}  // namespace lapcast::accuracy

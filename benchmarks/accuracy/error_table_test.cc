#include "accuracy/error_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accuracy/groups.h"
#include "accuracy/logged_run_test.h"

namespace lapcast::accuracy {
namespace {

using ::testing::ElementsAre;

Judgement judged(double papers, double low, double mid, double high) {
  Judgement judgement;
  judgement.groups = {{0, "core"}};
  judgement.seen = "2 epochs";
  judgement.stopped = Seconds{20};
  judgement.real = Seconds{100};
  judgement.papers = Seconds{papers};
  judgement.ours = Interval<Seconds>{Seconds{low}, Seconds{mid}, Seconds{high}};
  return judgement;
}

TEST(ErrorTable, MedianAndNinetiethPercentileInPercent) {
  // The papers' errors are 1, 2, 3 % and ours 0, 1, 5 %; the last interval does not contain 100 s.
  const auto rows =
      error_rows({judged(99, 95, 100, 105), judged(102, 90, 99, 110), judged(103, 101, 105, 120)});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].runs, 3u);
  EXPECT_NEAR(rows[0].papers.median, 2, 1e-9);
  EXPECT_NEAR(rows[0].papers.p90, 2.8, 1e-9);
  EXPECT_NEAR(rows[0].ours.median, 1, 1e-9);
  EXPECT_NEAR(rows[0].ours.p90, 1 + 0.8 * 4, 1e-9);
  EXPECT_NEAR(rows[0].coverage, 200.0 / 3, 1e-9);
  EXPECT_NEAR(rows[0].width, 100 * 19.0 / 105, 1e-9);
  EXPECT_NEAR(rows[0].seen_share, 20, 1e-9);
  EXPECT_NEAR(rows[0].papers_rest.median, 2 / 0.8, 1e-9);
  EXPECT_NEAR(rows[0].ours_rest.median, 1 / 0.8, 1e-9);
}

TEST(ErrorTable, WithoutAForecastIsAMiss) {
  Judgement none = judged(99, 95, 100, 105);
  none.ours.reset();
  const auto rows = error_rows({judged(99, 95, 100, 105), none});
  EXPECT_EQ(rows[0].ours.median, kNoForecast / 2);
  EXPECT_EQ(rows[0].coverage, 50);
}

TEST(ErrorTable, WhatCountsFirstAndTheOthersApart) {
  Judgement fitted = judged(99, 95, 100, 105);
  fitted.fit = Fit::own;
  Judgement alone = fitted;
  alone.fit = Fit::none;
  const auto rows = error_rows({fitted, alone, judged(102, 95, 101, 105)});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(
      to_text(rows[0]),
      "row\tcore\t2 epochs\t1\t2.00\t2.0\t1.00\t1.0\t100.0\t9.9\t20.0\t2.50\t2.5\t1.25\t1.2\n");
  EXPECT_EQ(to_text(rows[1]).substr(0, 11), "alone\tcore\t");
  EXPECT_EQ(
      to_text(rows[2]),
      "fitted\tcore\t2 epochs\t1\t1.00\t1.0\t0.00\t0.0\t100.0\t10.0\t20.0\t1.25\t1.2\t0.00\t0.0\n");
}

std::vector<std::string> names(const LoggedRun& run) {
  std::vector<std::string> result;
  for (const Group& group : groups_of(run)) result.push_back(group.name);
  return result;
}

TEST(Groups, OfCoreAndOfTheOthers) {
  LoggedRun run = run_of(MllogUnit::epoch, 10);
  run.family = "A100";
  EXPECT_THAT(names(run), ElementsAre("core, under 5 min", "core on A100", "ssd, under 5 min"));
  run.total = Seconds{300};
  EXPECT_THAT(names(run), ElementsAre(kCoreLong, "core on A100", "ssd, 5 min and more"));
  run.benchmark = "minigo";
  EXPECT_THAT(names(run), ElementsAre("minigo", "minigo, 5 min and more"));
  run.was_aborted = true;
  EXPECT_THAT(names(run), ElementsAre("aborted runs"));
}

}  // namespace
}  // namespace lapcast::accuracy

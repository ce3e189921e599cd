#include "report/lap_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forecast/fake_log_test.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

std::vector<std::string> last_cells(const Table& table) {
  std::vector<std::string> cells;
  for (const auto& row : table.rows) cells.push_back(for_people(row.back()));
  return cells;
}

/// Returns a timeline of laps of 1 and 2 s, which end at 1 and 3 s.
RunTimeline two_laps() {
  return {.length_ns = 3'000'000'000, .log = FakeLog(0).lap(1).lap(2).log, .costs_s = {1, 2}};
}

// 30 columns less "2.00 s" and two blanks are 22: the lap that ends after 1 of 3 s is at 21 / 3.
TEST(LapsOverTime, AreDotsFromTheShortestToTheLongest) {
  const Table table = laps_over_time(two_laps(), {.width = 30, .ascii = true});
  EXPECT_EQ(table.rows.size(), 8U);
  EXPECT_EQ(for_people(table.rows.front()[0]), "2.00 s");
  EXPECT_EQ(for_people(table.rows.front()[1]), std::string(21, ' ') + "'");
  EXPECT_EQ(for_people(table.rows.back()[0]), "1.00 s");
  EXPECT_EQ(for_people(table.rows.back()[1]), std::string(7, ' ') + ".");
}

TEST(LapsOverTime, AreLogarithmicOverALargeRange) {
  RunTimeline timeline = two_laps();
  timeline.costs_s = {0.01, 2};
  EXPECT_EQ(laps_over_time(timeline, {.ascii = true}).columns[0].header, "lap (log)");
}

// The 0.95 quantile of 1 to 21 s is 20 s. That gives ten classes of 1.9 s with two laps each, and
// one class above.
TEST(LapHistogram, HasTenClassesAndOneForTheLongest) {
  std::vector<double> seconds;
  for (int i = 1; i <= 21; ++i) seconds.push_back(i);
  const Table table = lap_histogram(seconds, {.width = 40, .ascii = true});
  ASSERT_EQ(table.rows.size(), 11U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(for_people(table.rows[i][1]), "2");
    EXPECT_EQ(for_people(table.rows[i][2]), "##########");
  }
  EXPECT_EQ(for_people(table.rows[1][0]), "2.9 s");
  EXPECT_EQ(for_people(table.rows[10][0]), "20.0 s");
  EXPECT_EQ(for_people(table.rows[10][2]), "#####");
}

TEST(LapHistogram, OfEqualLapsIsOneClass) {
  const std::vector<double> seconds{0.5, 0.5};
  EXPECT_THAT(last_cells(lap_histogram(seconds, {.width = 40, .ascii = true})),
              ElementsAre("##########"));
}

TEST(LapPlots, OfARunWithoutLapsAreNone) {
  EXPECT_TRUE(lap_plots({}, {}).empty());
  EXPECT_EQ(lap_plots(two_laps(), {}).size(), 2U);
}

// Work that was only queued at the end of the log may not be done.
TEST(LapPlots, LeaveOutQueuedLapsAtTheEnd) {
  RunTimeline timeline = two_laps();
  timeline.log.laps.push_back(timeline.log.laps.back());
  timeline.log.laps.back().finished = false;
  timeline.costs_s.push_back(50);
  EXPECT_EQ(for_people(lap_plots(timeline, {.ascii = true})[0].rows[0][0]), "2.00 s");
}

}  // namespace
}  // namespace lapcast

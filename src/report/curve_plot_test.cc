#include "report/curve_plot.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "table/table_writers.h"

namespace lapcast {
namespace {

/// Returns the curve 0.5, 0.75 of two epochs, of which 3 to 5 are needed until 1.
EpochsRow two_epochs(const Run& run, Result<EpochsNeeded> needed) {
  return {.run = &run,
          .goal = {.metric = "acc", .target = 1.0},
          .assessment = {.curve = {.points = {{1, 0.5}, {2, 0.75}}}, .needed = std::move(needed)}};
}

std::string line_of(const Table& table, std::size_t row) {
  return for_people(table.rows[row].back());
}

// 40 columns less "acc" and two blanks are 35: 34 / 5 columns an epoch, so that 3, 4 and 5 epochs
// are at 20, 27 and 34, and 1 and 2 epochs at 7 and 14. Half of the way up, 0.75 is row 5 of 0
// to 9.
TEST(CurvePlot, DrawsEvaluationsAndTheIntervalOnTheTarget) {
  const lapcast::Run run;
  const auto table =
      curve_plot(two_epochs(run, EpochsNeeded{.epochs = {3, 4, 5}}), {.width = 40, .ascii = true});
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 10U);
  EXPECT_EQ(line_of(*table, 0), std::string(20, ' ') + "|------o------|");
  EXPECT_EQ(line_of(*table, 4).at(14), '*');
  EXPECT_EQ(line_of(*table, 9).at(7), '*');
  EXPECT_EQ(for_people(table->rows[0][0]), "1");
  EXPECT_EQ(for_people(table->rows[9][0]), "0.5");
  EXPECT_EQ(table->columns[1].header, "0" + std::string(26, ' ') + "5 epochs");
}

TEST(CurvePlot, WithoutAForecastEndsWithTheCurve) {
  const lapcast::Run run;
  const auto table = curve_plot(two_epochs(run, because("too few points")), {.ascii = true});
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->columns[1].header.ends_with("2 epochs"));
  EXPECT_TRUE(table->notes.empty());
}

TEST(CurvePlot, PointsOnWhereTheUpperEndIsNotKnown) {
  const lapcast::Run run;
  const auto table =
      curve_plot(two_epochs(run, EpochsNeeded{.epochs = {3, 4, kNever}}), {.ascii = true});
  ASSERT_TRUE(table);
  EXPECT_TRUE(line_of(*table, 0).ends_with("o"));  // 4 epochs are the end of the scale
  EXPECT_TRUE(table->columns[1].header.ends_with("4 epochs"));
}

TEST(CurvePlot, OfARunWithoutEvaluationsIsNone) {
  EXPECT_FALSE(
      curve_plot({.goal = {.metric = "acc"}, .assessment = {.needed = because("none")}}, {}));
}

}  // namespace
}  // namespace lapcast

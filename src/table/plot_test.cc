#include "table/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "table/table_writers.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

TEST(PlotScale, PlacesValuesOnItsStepsAndThoseBeyondAtItsEnds) {
  const PlotScale scale(10, 20, 11);
  EXPECT_EQ(scale.step_of(10), 0U);
  EXPECT_EQ(scale.step_of(14.4), 4U);
  EXPECT_EQ(scale.step_of(20), 10U);
  EXPECT_EQ(scale.step_of(-5), 0U);
  EXPECT_EQ(scale.step_of(std::numeric_limits<double>::infinity()), 10U);
  EXPECT_EQ(scale.step_of(std::numeric_limits<double>::quiet_NaN()), 0U);
  EXPECT_EQ(PlotScale(7, 7, 11).step_of(7), 0U);
}

// log(10 / 1) / log(1000 / 1) = 1 / 3 of 9 steps.
TEST(PlotScale, IsLogarithmicOnRequest) {
  EXPECT_EQ(PlotScale(1, 1000, 10, true).step_of(10), 3U);
}

TEST(DrawnInterval, WithoutAnUpperEndPointsOn) {
  const PlotScale scale(0, 10, 11);
  EXPECT_EQ(drawn_interval({2, 4, 8}, scale, true), "  |-o---|");
  EXPECT_EQ(drawn_interval({2, 4, 8}, scale, false), "  ├─●───┤");
  EXPECT_EQ(drawn_interval({2, 4, std::numeric_limits<double>::infinity()}, scale, true),
            "  |-o----->");
}

// 0.3125 of 4 columns are 10 eighths: a whole block and one of 2 eighths.
TEST(DrawnBar, CountsInEighths) {
  EXPECT_EQ(drawn_bar(0.5, 4, false), "██");
  EXPECT_EQ(drawn_bar(0.3125, 4, false), "█▎");
  EXPECT_EQ(drawn_bar(1e-6, 4, false), "▏");
  EXPECT_EQ(drawn_bar(0.5, 4, true), "##");
  EXPECT_EQ(drawn_bar(1e-6, 4, true), "#");
  EXPECT_EQ(drawn_bar(0, 4, true), "");
}

// There are 7 steps above the lowest character: 0.5 is step 3.5, so the 5th of 8 characters, and
// 0.01 is step 1 because it has to be seen.
TEST(DrawnSeries, IsAsHighAsTheMeanOfEachPart) {
  const std::vector<double> shares{0, 0, 0.5, 0.5, 1, 1};
  EXPECT_EQ(drawn_series(shares, 3, false), "▁▅█");
  EXPECT_EQ(drawn_series(shares, 3, true), "059");
  EXPECT_EQ(drawn_series(shares, 100, true), "005599");
  EXPECT_EQ(drawn_series(std::vector{0.01, 7.0}, 2, false), "▂█");
  EXPECT_EQ(drawn_series({}, 3, false), "");
  EXPECT_EQ(drawn_series(shares, 0, false), "");
}

// Braille: the lower left dot is bit 0x40, the upper right one 0x08, from U+2800 on.
TEST(DotCanvas, DrawsBrailleFromTheLowerLeft) {
  DotCanvas canvas(2, 1, false);
  EXPECT_EQ(canvas.width(), 4U);
  EXPECT_EQ(canvas.height(), 4U);
  canvas.dot(0, 0);
  canvas.dot(1, 3);
  canvas.dot(9, 9);  // is not on it
  EXPECT_THAT(canvas.lines(), ElementsAre("\u2848"));
}

TEST(DotCanvas, DrawsTwoDotsInACharacterOfAscii) {
  DotCanvas canvas(4, 2, true);
  canvas.dot(0, 0);
  canvas.dot(1, 1);
  canvas.dot(3, 2);
  canvas.dot(3, 3);
  EXPECT_THAT(canvas.lines(), ElementsAre("   :", ".'"));
  canvas.put(0, " *●");
  EXPECT_THAT(canvas.lines(), ElementsAre("   :", ".*●"));
}

TEST(PlotTable, HasTheEndsOfBothAxesAndFitsItsWidth) {
  const PlotAxes axes{"lap", "1 s", "200 s", "0 s", "9 s"};
  EXPECT_EQ(plot_columns(axes, {.width = 40}), 33U);  // without "200 s" and two blanks
  EXPECT_EQ(plot_columns(axes, {.width = 4}), 20U);
  const std::vector<std::string> lines{"a", "b", "c"};
  const Table table = plot_table("Laps", axes, lines, 20);
  EXPECT_EQ(table.columns[1].header, "0 s              9 s");
  EXPECT_EQ(for_people(table.rows[0][0]), "200 s");
  EXPECT_EQ(for_people(table.rows[2][0]), "1 s");
  EXPECT_TRUE(table.name.empty());
}

}  // namespace
}  // namespace lapcast

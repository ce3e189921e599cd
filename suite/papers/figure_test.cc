#include "suite/papers/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace lapcast {
namespace {

const FigureSeries& named(const std::vector<FigureSeries>& all, const std::string& name) {
  return *std::ranges::find(all, name, &FigureSeries::name);
}

TEST(PaperFigures, EachHasPointsExactlyWhereItNamesATableAndAReasonWhereItDoesNot) {
  const std::vector<PaperFigure> figures = paper_figures();
  EXPECT_EQ(figures.size(), 33U);
  for (const PaperFigure& figure : figures) {
    SCOPED_TRACE(figure.paper + " " + figure.number);
    EXPECT_EQ(figure.series.empty(), figure.drawn_from.empty());
    EXPECT_TRUE(!figure.drawn_from.empty() || !figure.note.empty());
    EXPECT_TRUE(figure.kind.has_value());
    EXPECT_FALSE(figure.own.empty());  // every figure can be drawn of own runs or transfers
    EXPECT_EQ(figure.command.starts_with("lapcast transfer"), figure.workloads.empty());
    for (const FigureSeries& series : figure.series) {
      EXPECT_FALSE(series.points.empty());
      EXPECT_FALSE(series.is_own);
      for (const FigurePoint& point : series.points) {
        EXPECT_TRUE(std::isfinite(point.x));
        EXPECT_GT(point.y, 0);
      }
    }
  }
}

TEST(PaperFigures, RuntimeAgainstBatchIsTheTable) {
  const auto series = malta_series("4.3");
  ASSERT_EQ(series.size(), 6U);
  const FigureSeries& fastest = named(series, "paper: p3.8xlarge");
  ASSERT_EQ(fastest.points.size(), 4U);
  EXPECT_EQ(fastest.points[2].x, 1024);
  EXPECT_EQ(fastest.points[2].y, 32.0);
  EXPECT_EQ(fastest.points[2].deviation, 2.3);
}

TEST(PaperFigures, SimulatedTimesAreTheEstimateTimesTheRatio) {
  // Table 5.4, batch 256: 0.63 + 14.0 s, and 170.3 s after 13 epochs: 14.63 + 155.67 * 5 / 13 =
  // 74.503 s for p2.xlarge; table 5.7 has 4.07 for it and 6.05 for p2.8xlarge.
  const auto series = malta_series("5.4");
  EXPECT_NEAR(named(series, "paper: p2.xlarge").points[0].y, 74.503, 1e-3);
  EXPECT_NEAR(named(series, "paper: p2.8xlarge").points[0].y, 74.503 * 6.05 / 4.07, 1e-3);
  // Table 5.9, batch 2048 without validation: 28.62 + (68.1 - 28.62) * 10 / 28 = 42.72 s for
  // p2.16xlarge, which table 5.12 has at 4.08 times p3.2xlarge.
  EXPECT_NEAR(named(malta_series("5.5"), "paper: p3.2xlarge").points[0].y, 42.72 / 4.08, 1e-3);
}

// Table 5.2: 13.69 s, then 12 epochs of 11.05 s; with 0.18 s before them the printed 146.47 s.
TEST(PaperFigures, LaterEpochsAreThoseThatGiveThePrintedEstimate) {
  const auto series = malta_series("4.8");
  const struct {
    const char* name;
    std::size_t epochs;
    double first, later, init, estimate, digits;
  } kRows[] = {{"256", 13, 13.69, 11.05, 0.18, 146.47, 0.006},
               {"512", 11, 14.22, 9.96, 0.19, 114.01, 0.006},
               {"1024", 12, 18.95, 10.05, 0.20, 129.7, 0.06},
               {"2048", 16, 33.06, 15.6, 0.19, 267.25, 0.006}};
  for (const auto& row : kRows) {
    const auto& points = named(series, std::string("paper: p2.xlarge batch ") + row.name).points;
    ASSERT_EQ(points.size(), row.epochs);
    EXPECT_EQ(points[0].y, row.first);
    double all = row.init;
    for (const FigurePoint& point : points) all += point.y;
    for (std::size_t i = 1; i < points.size(); ++i) EXPECT_EQ(points[i].y, row.later);
    EXPECT_NEAR(all, row.estimate, row.digits);
  }
}

TEST(PaperFigures, MisprintedCostsAreNotDrawn) {
  const auto cost = [](const char* figure, const char* machine, std::size_t batch) {
    return named(malta_series(figure), std::string("paper: ") + machine).points.at(batch).y;
  };
  EXPECT_NEAR(cost("4.6", "p3.8xlarge", 0), 0.2016, 1e-4);   // 59.3 s at 12.24 USD/h; not 0.05
  EXPECT_NEAR(cost("4.6", "p3.2xlarge", 0), 0.05185, 1e-5);  // 61.0 s at 3.06 USD/h; not 0.04
  EXPECT_NEAR(cost("4.6", "p2.16xlarge", 2), 0.4512, 1e-4);  // 112.8 s at 14.40 USD/h; not 0.50
  EXPECT_EQ(cost("4.6", "p3.2xlarge", 1), 0.03);             // 0.0324: as printed
  EXPECT_EQ(cost("4.7", "p2.8xlarge", 1), 2.30);             // 2.287: as if from other runs
}

TEST(PaperFigures, TimesOfKunasFollowFromCostsAndSpeedUps) {
  const auto points = kunas_series("6.3").front().points;  // 3.44 / 2.85 h; / 1.63; / 5.63
  ASSERT_EQ(points.size(), 3U);
  EXPECT_NEAR(points[0].y, 4345.3, 0.1);
  EXPECT_NEAR(points[1].y, 2665.8, 0.1);
  EXPECT_NEAR(points[2].y, 771.8, 0.1);
}

TEST(PaperFigures, StagesAreThoseOfThePicturesOrOfTheTable) {
  const auto lstm = review_series("10-12");
  ASSERT_EQ(lstm.size(), 5U);
  EXPECT_EQ(named(lstm, "compile").points[1].y, 6.452);
  const auto mlp = review_series("1-3");
  ASSERT_EQ(mlp.size(), 2U);
  EXPECT_EQ(named(mlp, "train").points[1].label, "paper: GPU");
  EXPECT_EQ(named(mlp, "train").points[1].y, 8.983);
}

}  // namespace
}  // namespace lapcast

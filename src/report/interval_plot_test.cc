#include "report/interval_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rank/ranking_fixture_test.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

using test::candidate;
using test::offer;
using testing::ElementsAre;

std::vector<std::string> drawings(const Table& table) {
  std::vector<std::string> result{table.columns.back().header};
  for (const auto& row : table.rows) result.push_back(for_people(row.back()));
  return result;
}

Ranking of_times(double first, double second) {
  return rank({candidate("a", first, 1), candidate("b", second, 1)},
              {offer("a", "a", "3.6"), offer("b", "b", "3.6")}, {});
}

// 3.6 USD/h are 0.001 USD a second: 0.05, 0.10, 0.20 and 0.10, 0.20, 0.40 USD on a scale of 0 to
// 0.40 USD with 21 columns, 0.02 USD a column: 2.5 rounds up.
TEST(IntervalPlot, DrawsCostsOnOneScaleFromZero) {
  const Table table = interval_plot(of_times(100, 200), 21, true);
  EXPECT_THAT(drawings(table), ElementsAre("$0.00           $0.40",  //
                                           "   |-o----|",            //
                                           "     |----o---------|"));
}

// 0.5 to 2 and 50 to 200 s are a range of 1 : 400, above 1 : 30: log(1 / 0.5) / log(400) = 0.1157
// of 20 columns, 0.2314 for 2 s, 0.7686 for 50 s, 0.8843 for 100 s.
TEST(IntervalPlot, IsLogarithmicOverALargeRange) {
  const Ranking ranking =
      rank({candidate("a", 1, 1), candidate("b", 100, 1)},
           {offer("a", "a", "1"), offer("b", "b", "1")}, {.by = Objective::time});
  EXPECT_THAT(drawings(interval_plot(ranking, 21, true)),
              ElementsAre("500 ms (logarithmic) 3 min 20 s",  //
                          "|-o--|",                           //
                          "               |--o-|"));
}

TEST(IntervalPlot, UsesLinesOnATerminal) {
  EXPECT_EQ(drawings(interval_plot(of_times(100, 200), 21, false)).at(1), "   ├─●────┤");
}

TEST(IntervalPlot, OfNoChoicesHasNoRows) {
  EXPECT_TRUE(interval_plot({}, 20, true).rows.empty());
}

}  // namespace
}  // namespace lapcast

#include "commands/compare/comparison_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "table/table_writers.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

ComparedSet set_of_values(std::vector<double> values) {
  return {.name = "", .values = {.values = std::move(values)}};
}

std::vector<std::string> lines_of_plot(const Table& table) {
  std::vector<std::string> lines;
  for (const auto& row : table.rows) lines.push_back(for_people(row[0]) + " " + for_people(row[1]));
  return lines;
}

// From 1 to 9 in 25 columns, 3 columns a unit: the quartiles of 1 to 5 are 2, 3 and 4. Two values
// have no box.
TEST(ComparisonPlot, HasABoxOfFiveValuesAndEveryValue) {
  const RunMetric metric = parse_run_metric("lap");
  const auto table = comparison_plot(set_of_values({1, 2, 3, 4, 5}), set_of_values({5, 9}), metric,
                                     {.width = 31, .ascii = true});
  ASSERT_TRUE(table);
  EXPECT_THAT(lines_of_plot(*table), ElementsAre("A |--[==o==]--|",  //
                                                 " .  .  .  .  .", "B             .           ."));
  EXPECT_EQ(table->columns[1].header, "1.00 s             9.00 s");
}

TEST(ComparisonPlot, CountsValuesAtOnePlace) {
  const auto table = comparison_plot(set_of_values({1, 1, 1, 2}), set_of_values({}),
                                     parse_run_metric("lap"), {.width = 26, .ascii = true});
  ASSERT_TRUE(table);
  EXPECT_THAT(lines_of_plot(*table), ElementsAre("A 3                  .", "B "));
}

TEST(ComparisonPlot, OfNoValuesIsNone) {
  EXPECT_FALSE(comparison_plot({}, {}, parse_run_metric("lap"), {}));
}

}  // namespace
}  // namespace lapcast

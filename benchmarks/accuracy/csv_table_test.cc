#include "accuracy/csv_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast::accuracy {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;

struct Table {
  std::vector<std::string> rows;
  CsvTable table{{"b", "a"}, [this](CsvTable::Cells cells) {
                   rows.push_back(std::string(cells[0]) + "|" + std::string(cells[1]));
                 }};
};

TEST(CsvTable, FindsColumnsByNameAndPassesOverOthers) {
  Table read;
  read.table.feed("a,x,b\n1,2,3\n4,5,6\n");
  read.table.finish();
  EXPECT_THAT(read.rows, ElementsAre("3|1", "6|4"));
  EXPECT_THAT(read.table.missing(), ElementsAre());
  EXPECT_EQ(read.table.damaged(), 0);
}

TEST(CsvTable, APieceMayEndAnywhere) {
  const std::string text = "a,b\n1,\"2,5\"\r\n3,4";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Table read;
    read.table.feed(text.substr(0, cut));
    read.table.feed(text.substr(cut));
    read.table.finish();
    EXPECT_THAT(read.rows, ElementsAre("2,5|1", "4|3")) << "cut at " << cut;
  }
}

TEST(CsvTable, CountsRowsThatCannotBeUsed) {
  Table read;
  read.table.feed("a,b\n1\n1,2,3\n1,\"2\n3,4\n");
  read.table.finish();
  EXPECT_THAT(read.rows, ElementsAre("4|3"));
  EXPECT_EQ(read.table.damaged(), 3);
}

TEST(CsvTable, AnAbsentColumnIsNamedAndItsCellsAreEmpty) {
  Table read;
  EXPECT_THAT(read.table.missing(), ElementsAre("b", "a"));
  read.table.feed("a,c\n1,2\n");
  EXPECT_THAT(read.rows, ElementsAre("|1"));
  EXPECT_THAT(read.table.missing(), ElementsAre("b"));
}

TEST(CsvTable, ALineWithoutEndIsGivenUpBeforeItFillsTheMemory) {
  Table read;
  read.table.feed("a,b\n");
  for (int i = 0; i < 20; ++i) read.table.feed(std::string(100'000, 'x'));
  read.table.feed("\n1,2\n");
  EXPECT_THAT(read.rows, ElementsAre("2|1"));
  EXPECT_GE(read.table.damaged(), 1);
}

TEST(Number, IsAWholeCell) {
  EXPECT_THAT(number("12.5"), Eq(12.5));
  EXPECT_THAT(number("-1e3"), Eq(-1000.0));
  for (const char* bad : {"", "x", "1 ", "1x", "nan", "inf", "1e999"}) {
    EXPECT_EQ(number(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace lapcast::accuracy

#include "price/csv_rows.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

std::vector<CsvRow> rows_of(std::string_view text) {
  std::vector<CsvRow> rows;
  for_each_csv_row(text, [&](const CsvRow& row) { rows.push_back(row); });
  return rows;
}

using Fields = std::vector<std::string>;

TEST(CsvRows, NoneAndOne) {
  EXPECT_TRUE(rows_of("").empty());
  EXPECT_TRUE(rows_of("\n\r\n  \n").empty());
  const auto rows = rows_of("a,b");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].line, 1);
  EXPECT_EQ(rows[0].fields, (Fields{"a", "b"}));
}

TEST(CsvRows, QuotedFieldsOfRfc4180) {
  const auto rows = rows_of(
      "\xEF\xBB\xBF"
      "a,\"b,\"\"c\"\"\",\r\n\"two\nlines\", d \n\n,x\n");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].fields, (Fields{"a", "b,\"c\"", ""}));
  EXPECT_EQ(rows[1].fields, (Fields{"two\nlines", "d"}));
  EXPECT_EQ(rows[1].line, 2);
  EXPECT_EQ(rows[2].fields, (Fields{"", "x"}));
  EXPECT_EQ(rows[2].line, 5);
}

TEST(CsvRows, CarriageReturnsAloneEndRows) {
  const auto rows = rows_of("a\rb\rc");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].fields, Fields{"c"});
  EXPECT_EQ(rows[2].line, 3);
}

TEST(CsvRows, DamageCostsOneLine) {
  const auto rows = rows_of("a,b\"c\nd,\"e\nf,g\nh,\"i\" j\nk,l\n");
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].damage, "a quote stands where none may stand");
  EXPECT_FALSE(rows[1].damage.empty());  // its quote closes at "i"
  EXPECT_EQ(rows[2].fields, (Fields{"f", "g"}));
  EXPECT_FALSE(rows[3].damage.empty());
  EXPECT_EQ(rows[4].fields, (Fields{"k", "l"}));
  EXPECT_EQ(rows[4].damage, "");
  EXPECT_EQ(rows[4].line, 5);
}

TEST(CsvRows, QuoteThatIsNeverClosed) {
  const auto rows = rows_of("a,\"b\nc,d\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].damage, "a quote is never closed");
  EXPECT_EQ(rows[1].fields, (Fields{"c", "d"}));
  std::string many = "\"";
  for (int i = 0; i < 20; ++i) many += "x\n";
  EXPECT_EQ(rows_of(many)[0].damage, "a quote is not closed within 16 lines");
  EXPECT_EQ(rows_of(many).size(), 20u);
}

}  // namespace
}  // namespace lapcast

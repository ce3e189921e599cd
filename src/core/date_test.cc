#include "core/date.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(ParseDate, FillsWithTheLatestDay) {
  EXPECT_EQ(parse_date("2021"), (Date{2021, 12, 31}));
  EXPECT_EQ(parse_date("2021-02"), (Date{2021, 2, 28}));
  EXPECT_EQ(parse_date("2024-02"), (Date{2024, 2, 29}));
  EXPECT_EQ(parse_date("2026-11-20"), (Date{2026, 11, 20}));
}

TEST(ParseDate, RefusesTheRest) {
  for (const char* text :
       {"", "21", "2021-", "2021-2", "2021-13", "2021-00", "2021-02-29", "2021-02-00", "2021/02",
        "2021-02/03", "2021-02-3x", "x021", "0000", "2021-02-03T00:00", "-021"}) {
    EXPECT_EQ(parse_date(text), std::nullopt) << text;
  }
}

TEST(DateOf, IsTheDayInUtc) {
  using namespace std::chrono;
  EXPECT_EQ(date_of(sys_seconds{0s}), (Date{1970, 1, 1}));
  EXPECT_EQ(date_of(sys_seconds{86399s}), (Date{1970, 1, 1}));
  EXPECT_EQ(date_of(sys_seconds{86400s}), (Date{1970, 1, 2}));
}

TEST(MonthsLater, StaysInTheMonth) {
  EXPECT_EQ(months_later({2023, 1, 31}, 1), (Date{2023, 2, 28}));
  EXPECT_EQ(months_later({2023, 12, 1}, 1), (Date{2024, 1, 1}));
  EXPECT_EQ(months_later({2023, 6, 15}, 12), (Date{2024, 6, 15}));
  EXPECT_EQ(months_later({2023, 6, 15}, 0), (Date{2023, 6, 15}));
}

}  // namespace

}  // namespace lapcast

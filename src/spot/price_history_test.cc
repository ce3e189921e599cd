#include "spot/price_history.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using testing::HasSubstr;

constexpr Date kHistoryToday{2026, 11, 27};

// Four hours: 1 USD for two hours, then 2 USD for one, then 4 USD for one.
constexpr const char* kTable =
    "time,price\n2026-11-20T00:00:00Z,1\n2026-11-20T02:00:00Z,2\n2026-11-20T03:00:00Z,4\n"
    "2026-11-20T04:00:00Z,9\n";

TEST(PriceHistory, TheMeanIsByTime) {
  const PriceHistory history = *parse_price_history(kTable, kHistoryToday);
  EXPECT_EQ(history.length(), Seconds{4 * 3600});
  const Interval<Money> whole = mean_price_over(history, Seconds{4 * 3600});
  EXPECT_EQ(whole.mid, Money::parse("2"));  // (2 * 1 + 2 + 4) / 4
  EXPECT_EQ(whole.low, Money::parse("1"));  // the price itself, as the history is not longer
  EXPECT_EQ(whole.high, Money::parse("4"));
}

// Two hours that begin after x hours cost 1 + x / 2 for x <= 1 and 1.5 x for x <= 2. The starts lie
// evenly between 0 and 2, so that the quantiles are those at x = 0.05 and x = 1.95.
TEST(PriceHistory, ALongJobAveragesThePrice) {
  const Interval<Money> two_hours =
      mean_price_over(*parse_price_history(kTable, kHistoryToday), Seconds{2 * 3600});
  EXPECT_NEAR(two_hours.low.dollars(), 1.025, 0.001);
  EXPECT_NEAR(two_hours.high.dollars(), 2.925, 0.002);
}

TEST(PriceHistory, ReadsWhatTheAwsCommandPrints) {
  const auto row = [](const char* time, const char* price, const char* zone) {
    return std::string(R"({"AvailabilityZone": ")") + zone +
           R"(", "InstanceType": "p3.2xlarge", "ProductDescription": "Linux/UNIX", "SpotPrice": ")" +
           price + R"(", "Timestamp": ")" + time + R"("})";
  };
  const auto list = [](const std::string& rows) {
    return R"({"SpotPriceHistory": [)" + rows + "]}";
  };
  const std::string newest = row("2026-11-20T02:00:00+00:00", "0.930000", "us-east-1a");
  const auto history = parse_price_history(
      list(newest + "," + row("2026-11-20T00:00:00.000Z", "0.918000", "us-east-1a")),
      kHistoryToday);
  ASSERT_TRUE(history);
  EXPECT_EQ(history->changes.front().price.per_hour, Money::parse("0.918"));
  EXPECT_EQ(history->length(), Seconds{7200});
  const auto mixed = parse_price_history(
      list(newest + "," + row("2026-11-20T00:00:00+00:00", "0.918000", "us-east-1b")),
      kHistoryToday);
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().text, HasSubstr("2 machines, zones or products"));
}

TEST(PriceHistory, SaysWhatIsNoHistory) {
  const auto why_not = [](const char* text) {
    const auto history = parse_price_history(text, kHistoryToday);
    return history ? "" : history.error().text;
  };
  EXPECT_THAT(why_not(""), HasSubstr("two times or more"));
  EXPECT_THAT(why_not("{}"), HasSubstr("without a list SpotPriceHistory"));
  EXPECT_THAT(why_not("[1, 2"), HasSubstr("without a list SpotPriceHistory"));
  EXPECT_THAT(why_not("2026-11-20T00:00:00Z,1\n"), HasSubstr("two times or more"));
  const auto damaged = parse_price_history(
      "2026-11-20T00:00:00Z,1\n2026-11-20T01:00:00Z,-1\n2026-11-20T01:00:00Z,nan\nnever,1\n"
      "2026-11-20T02:00:00Z,1e308\n2026-11-20T02:00:00Z,2,3\n2026-11-20T03:00:00Z,2\n",
      kHistoryToday);
  ASSERT_TRUE(damaged);
  EXPECT_EQ(damaged->changes.size(), 2u);
  EXPECT_EQ(damaged->problems.size(), 3u);
}

TEST(PriceHistory, ReadsTheFormsThatPeopleSave) {
  const char* const kForms[] = {
      R"([{"SpotPrice": "1", "Timestamp": "2026-11-20 00:00:00+00:00"},
          {"SpotPrice": "2", "Timestamp": "2026-11-20 01:00:00+00:00"}])",
      "SPOTPRICEHISTORY\tus-east-1d\tg5.xlarge\tLinux/UNIX\t1\t2026-11-20T00:00:00+00:00\n"
      "SPOTPRICEHISTORY\tus-east-1d\tg5.xlarge\tLinux/UNIX\t2\t2026-11-20T01:00:00+00:00\n",
      ",Timestamp,SpotPrice\n0,2026-11-20 00:00:00+00:00,1\n1,2026-11-20 01:00:00+00:00,2\n"};
  for (const char* text : kForms) {
    const auto history = parse_price_history(text, kHistoryToday);
    ASSERT_TRUE(history) << text << history.error().text;
    EXPECT_EQ(history->length(), Seconds{3600});
    EXPECT_EQ(history->changes[1].price.per_hour, Money::parse("2"));
  }
}

// A row of the year 9999 stretched the history over 8,000 years, at the price before it.
TEST(PriceHistory, ATimeThatCannotBeIsLeftOut) {
  const auto history = parse_price_history(
      "9998-01-01T00:00:00Z,9\n1969-12-31T23:59:59Z,9\n2026-11-20T00:00:00Z,1\n"
      "2026-11-20T01:00:00Z,2\n2026-11-29T00:00:00Z,9\n9999-12-31T23:59:59Z,9\n",
      kHistoryToday);
  ASSERT_TRUE(history);
  EXPECT_EQ(history->length(), Seconds{3600});
  ASSERT_EQ(history->problems.size(), 2u);
  EXPECT_EQ(history->problems[0].text, "time is before 1970: 1 rows are left out");
  EXPECT_EQ(history->problems[1].text, "time is in the future: 3 rows are left out");
  EXPECT_FALSE(parse_price_history(
      R"({"SpotPriceHistory": [{"SpotPrice": "1", "Timestamp": "9999-01-01T00:00:00.5Z"},
          {"SpotPrice": "1", "Timestamp": "9999-01-02T00:00:00+00:00"}]})",
      kHistoryToday));
}

// One second is a small difference of sums over 56 years; the mean is one of the prices.
TEST(PriceHistory, AMeanIsNeverBeyondThePrices) {
  const auto history = parse_price_history(
      "1970-01-01T00:00:00Z,0.3\n2026-11-20T00:00:00Z,0.3\n2026-11-20T01:00:00Z,0.3\n",
      kHistoryToday);
  const Interval<Money> price = mean_price_over(*history, Seconds{1});
  EXPECT_EQ(price.low, Money::parse("0.3"));
  EXPECT_EQ(price.high, Money::parse("0.3"));
}

// Prices 20 % and times 15 % apart are 25 % apart together.
TEST(PriceHistory, DeviationsAddInSquares) {
  const Interval<Money> price{Money::parse("0.8"), Money::parse("1"), Money::parse("1.2")};
  const Interval<Seconds> billed{Seconds{0.85 * 3600}, Seconds{3600}, Seconds{1.15 * 3600}};
  const Interval<Money> cost = cost_at(price, billed);
  EXPECT_EQ(cost.mid, Money::parse("1"));
  EXPECT_NEAR(cost.low.dollars(), 0.75, 1e-8);
  EXPECT_NEAR(cost.high.dollars(), 1.25, 1e-8);
  EXPECT_EQ(cost_at(Interval<Money>::exactly(Money{}), billed).high, Money{});
}

}  // namespace
}  // namespace lapcast

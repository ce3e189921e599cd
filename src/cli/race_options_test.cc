#include "cli/race_options.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace lapcast {
namespace {

TEST(RaceBudget, IsTimeOrMoney) {
  EXPECT_EQ(parse_search_budget("10m").time, Seconds{600});
  EXPECT_EQ(parse_search_budget("90").time, Seconds{90});
  EXPECT_EQ(parse_search_budget("2.50USD").money, Money::parse("2.5"));
  EXPECT_EQ(parse_search_budget("$0.004").money, Money::parse("0.004"));
  EXPECT_FALSE(parse_search_budget("").time || parse_search_budget("").money);
}

TEST(RaceBudget, NothingElse) {
  for (const char* text : {"0", "0USD", "-1USD", "$", "USD", "much", "1e3USD", "$1USD"})
    EXPECT_THROW(parse_search_budget(text), Error) << text;
}

TEST(RaceOptions, ConfidenceIsAShareBelowOne) {
  RaceOptions options;
  EXPECT_EQ(options.order().confidence, 0.95);
  options.confidence = "100%";
  EXPECT_THROW(options.order(), Error);
}

}  // namespace
}  // namespace lapcast

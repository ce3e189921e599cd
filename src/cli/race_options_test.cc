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
}

TEST(RaceBudget, NothingElse) {
  for (const char* text : {"0", "0USD", "-1USD", "$", "USD", "", "much", "1e3USD", "$1USD"})
    EXPECT_THROW(parse_search_budget(text), Error) << text;
}

TEST(RaceOptions, ConfidenceIsAShareBelowOne) {
  RaceOptions options;
  CLI::App command;
  options.add_to(command);
  EXPECT_EQ(options.order().confidence, 0.95);
  command.parse("--race --confidence 90%");
  EXPECT_EQ(options.order().confidence, 0.9);
  EXPECT_THROW(command.parse("--race --confidence 100%"), CLI::ValidationError);
}

}  // namespace
}  // namespace lapcast

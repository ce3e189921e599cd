#include "campaign/power_limit.h"
#include "fleet/power_setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PowerLimit, OptionsAreWholeWatts) {
  EXPECT_THAT(parse_power_limits("200,250", {"train"}), ElementsAre("200W", "250W"));
  for (const char* text : {"", ",", "200,", "200,200", "0", "-5", "250W", "1e3", "250.5", "10001",
                           "nan", "99999999999999999999", "+250", " 250", "0250", "\xff"})
    EXPECT_THROW(parse_power_limits(text, {"train"}), Error) << text;
  EXPECT_THROW(parse_power_limits("200", {"train", "--p={power}"}), Error);
}

TEST(PowerLimit, BelongsToAContextWithoutSuchAPlaceholder) {
  RunContext context;
  context.program = {"train", "{batch}"};
  EXPECT_FALSE(power_limit_of(context));
  context.settings["power"] = "250W";
  EXPECT_EQ(power_limit_of(context), 250);
  for (const char* text : {"250", "W", "", "-1W", "1e2W", "250w", "020W"}) {
    context.settings["power"] = text;
    EXPECT_FALSE(power_limit_of(context)) << text;
  }
  context.settings["power"] = "250W";
  context.program = {"train", "{power}"};
  EXPECT_FALSE(power_limit_of(context));
}

TEST(PowerLimit, WhatNvidiaSmiSays) {
  const auto limits = parse_gpu_power_limits("0, 300.00, 100.00, 350.50\n1, 250, 100, 300\n");
  ASSERT_TRUE(limits);
  ASSERT_EQ(limits->size(), 2u);
  EXPECT_EQ(limits->at(0).index, "0");
  EXPECT_DOUBLE_EQ(limits->at(0).most, 350.5);
  EXPECT_DOUBLE_EQ(limits->at(1).now, 250);
}

TEST(PowerLimit, WhatNvidiaSmiMayAlsoSay) {
  const auto reason = [](const char* text) {
    const auto limits = parse_gpu_power_limits(text);
    return limits ? "none" : limits.error().text;
  };
  EXPECT_THAT(reason(""), HasSubstr("lists none"));
  EXPECT_THAT(reason("\n\n"), HasSubstr("lists none"));
  EXPECT_THAT(reason("0, [N/A], [N/A], [N/A]\n"), HasSubstr("GPU 0 has no power limit"));
  EXPECT_THAT(reason("0, nan, 100, 300\n"), HasSubstr("no power limit"));
  EXPECT_THAT(reason("0, 1e308, 100, 300\n"), HasSubstr("no power limit"));
  EXPECT_THAT(reason("No devices were found\n"), HasSubstr("No devices"));
  EXPECT_THAT(reason("-1, 1, 1, 1\n"), HasSubstr("says no power limits"));
  EXPECT_THAT(reason("0, 300, 100"), HasSubstr("says no power limits"));
  EXPECT_THAT(reason("\xff\x1b[2J,,,"), HasSubstr("says no power limits"));
}

}  // namespace
}  // namespace lapcast

#include "choose/race_pause.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

const HourlyPrice kPrice{Money::parse("1.80")};

TEST(RacePause, WhatCostsLess) {
  // 60 s of idling at 1.80 USD an hour cost 0.03 USD, 20 s of starting again 0.01 USD.
  EXPECT_EQ(between_rounds({kPrice, true, true, Seconds{60}, Seconds{20}}), PauseMethod::restart);
  EXPECT_EQ(between_rounds({kPrice, true, true, Seconds{10}, Seconds{20}}), PauseMethod::suspend);
  EXPECT_EQ(between_rounds({kPrice, true, true, Seconds{20}, Seconds{20}}), PauseMethod::suspend);
}

TEST(RacePause, IdlingThatCostsNothing) {
  EXPECT_EQ(between_rounds({kPrice, true, false, Seconds{600}, Seconds{1}}), PauseMethod::suspend);
  EXPECT_EQ(between_rounds({{Money()}, true, true, Seconds{600}, Seconds{1}}), PauseMethod::suspend);
}

TEST(RacePause, WhoCannotBeSuspendedStartsAgain) {
  EXPECT_EQ(between_rounds({kPrice, false, false, Seconds{0}, Seconds{600}}), PauseMethod::restart);
}

}  // namespace
}  // namespace lapcast

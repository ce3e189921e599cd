#include "choose/saving.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(Saving, ShareOfTheBaseline) {
  EXPECT_DOUBLE_EQ(*saving(Money::parse("10"), Money::parse("2.5")), 0.75);
  EXPECT_DOUBLE_EQ(*saving(Money::parse("10"), Money::parse("12")), -0.2);
  EXPECT_DOUBLE_EQ(*saving(Money::parse("10"), Money{}), 1);
}

TEST(Saving, NothingToCompareWith) {
  EXPECT_FALSE(saving(Money{}, Money::parse("1")));
  EXPECT_FALSE(saving(Money::parse("-1"), Money::parse("1")));
}

}  // namespace
}  // namespace lapcast

#include "lap/suggested_pattern.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(SuggestedPattern, IsThatOfTheNumberThatGrows) {
  EXPECT_EQ(
      suggested_pattern({"loading", "GPU 0 it=1 | 0.5", "GPU 0 it=2 | 0.25", "saved"})->expression,
      R"( it=(?P<step>\d+))");
  EXPECT_EQ(suggested_pattern({"[5] x", "[6] x"})->expression, R"(\[(?P<step>\d+))");
  EXPECT_FALSE(suggested_pattern({"it=1", "done 5 of 7"}));
  EXPECT_FALSE(suggested_pattern({"it=2", "it=1"}));
  EXPECT_FALSE(suggested_pattern({}));
}

TEST(SuggestedPattern, IsTriedOnTheLines) {
  const auto padded = suggested_pattern({"at [   9/99]", "at [  10/99]", "at [ 100/99]"});
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->expression, R"(at \[ *(?P<step>\d+))");
  EXPECT_EQ(padded->lines, 3u);
  EXPECT_EQ(padded->first, 9);
  EXPECT_EQ(padded->last, 100);
  // The same words stand before another number, which does not grow.
  EXPECT_FALSE(suggested_pattern({"x 5 a", "x 6 a", "x 3"}));
}

}  // namespace
}  // namespace lapcast

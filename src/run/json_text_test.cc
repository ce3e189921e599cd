#include "run/json_text.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(JsonDepth, CountsBracketsOutsideOfTexts) {
  EXPECT_EQ(json_depth(R"({"a":[1,[2]],"b":"[[[[{"})"), 3);
  EXPECT_EQ(json_depth(R"("\"[")"), 0);
}

TEST(JsonValues, CountsWhatTakesMemory) {
  EXPECT_EQ(json_values("[1,1,1]"), 3);                  // a bracket and two commas
  EXPECT_EQ(json_values(R"({"a":"1,2,3","b":[]})"), 3);  // two brackets and a comma
  EXPECT_EQ(json_values(""), 0);
}

TEST(EscapedControls, AreThoseThatJsonLeavesAsTheyAre) {
  EXPECT_EQ(escaped_controls("\"a\x7F\xC2\x9B"
                             "31m\xC2\x80\""),
            "\"a\\u007f\\u009b31m\\u0080\"");
  EXPECT_EQ(escaped_controls("\"\xC2\xA0\xC3\xA4\xC2\""), "\"\xC2\xA0\xC3\xA4\xC2\"");
  EXPECT_EQ(escaped_controls(""), "");
}

}  // namespace
}  // namespace lapcast

#include "run/json_depth.h"

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

}  // namespace
}  // namespace lapcast

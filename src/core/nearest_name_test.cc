#include "core/nearest_name.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(NearestName, TakesTheNameWithTheFewestOtherLetters) {
  EXPECT_EQ(nearest_name("swepe", {"show", "sweep", "suite"}), "sweep");
  EXPECT_EQ(nearest_name("xyz", {"sweep", "show"}), "");
}

TEST(NearestName, TakesTheNameThatBeginsWithTheWord) {
  EXPECT_EQ(nearest_name("--time", {"--to", "--time-limit", "--tame"}), "--time-limit");
}

TEST(NearestName, TakesUpperAndLowerCaseAsAlike) {
  EXPECT_EQ(nearest_name("RTX-4090", {"a100", "rtx-4090"}), "rtx-4090");
  EXPECT_TRUE(is_same_name("A100", "a100"));
  EXPECT_FALSE(is_same_name("A100", "a10"));
}

TEST(DidYouMean, FallsBackOnOtherAdvice) {
  EXPECT_EQ(did_you_mean("trian.py", {"train.py"}, "look"), "did you mean 'train.py'?");
  EXPECT_EQ(did_you_mean("xyz", {"train.py"}, "look"), "look");
}

}  // namespace
}  // namespace lapcast

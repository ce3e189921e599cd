#include "accuracy/submitter_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast::accuracy {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(SubmitterParts, BalancedByRunsWithoutSplittingASubmitter) {
  // The runs are a: 4, b: 3, c: 2, d: 2. The first part gets a and d, the second b and c (3, then
  // 5).
  const auto parts = split({"b", "a", "a", "c", "a", "b", "d", "a", "b", "c", "d"});
  EXPECT_THAT(parts.part, ElementsAre(Pair("a", 0), Pair("b", 1), Pair("c", 1), Pair("d", 0)));
  EXPECT_THAT(parts.runs, ElementsAre(Pair("a", 4), Pair("b", 3), Pair("c", 2), Pair("d", 2)));
}

TEST(SubmitterParts, OfNone) {
  EXPECT_TRUE(split({}).part.empty());
}

}  // namespace
}  // namespace lapcast::accuracy

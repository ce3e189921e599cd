#include "accuracy/submitter_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast::accuracy {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(SubmitterParts, BalancedByRunsWithoutSplittingASubmitter) {
  // a: 4, b: 3, c: 2, d: 2: a to the first; b, then c to the second (3, 5); d to the first.
  const auto parts = split({"b", "a", "a", "c", "a", "b", "d", "a", "b", "c", "d"});
  EXPECT_THAT(parts.part, ElementsAre(Pair("a", 0), Pair("b", 1), Pair("c", 1), Pair("d", 0)));
  EXPECT_THAT(parts.runs, ElementsAre(Pair("a", 4), Pair("b", 3), Pair("c", 2), Pair("d", 2)));
}

TEST(SubmitterParts, OfNone) { EXPECT_TRUE(split({}).part.empty()); }

}  // namespace
}  // namespace lapcast::accuracy

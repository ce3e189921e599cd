#include "accuracy/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast::accuracy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::size_t> starts(std::vector<double> paces) {
  return phase_starts(paces);
}

TEST(Phases, OneWhereTheWorkStays) {
  EXPECT_THAT(starts({}), IsEmpty());
  EXPECT_THAT(starts({1}), ElementsAre(0));
  EXPECT_THAT(starts({1, 1.1, 0.9, 1, 1.15, 1}), ElementsAre(0));
}

TEST(Phases, BeginWhereThePaceChangesAndStays) {
  EXPECT_THAT(starts({1, 1, 1, 3, 3, 3, 5, 5}), ElementsAre(0, 3, 6));
  EXPECT_THAT(starts({1, 1, 1, 3, 3, 3, 5}), ElementsAre(0, 3, 6)) << "the last row alone";
}

TEST(Phases, AStallOrASlowFirstRowIsNone) {
  EXPECT_THAT(starts({1, 1, 1, 3, 1, 1}), ElementsAre(0));
  EXPECT_THAT(starts({2, 1, 1, 1, 1, 1}), ElementsAre(0));
  EXPECT_THAT(starts({1, 1, 1, 3.8, 3, 3, 3}), ElementsAre(0, 4));
}

}  // namespace
}  // namespace lapcast::accuracy

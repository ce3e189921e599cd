#include "extrapolate/counted_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

TEST(CountedModelTest, OneUnitOfEachIsTheConstant) {
  // 6e9 operations of a training step are 1e9 multiply-adds forward: both logarithms are 0.
  EXPECT_NEAR(counted_lap(6e9, 1e6, 1).mean, -8.5681, 1e-9);
  EXPECT_NEAR(counted_lap(32 * 6e9, 32 * 1e6, 32).mean, -8.5681 + std::log(32), 1e-9);
  EXPECT_NEAR(counted_lap(6e9, 1e6, 1).sd, 0.29, 1e-12);
}

TEST(CountedModelTest, BeyondTheNetworksOfTheFitItIsLessSure) {
  EXPECT_GT(counted_lap(6e14, 1e6, 1).sd, 0.29);
  const double more = counted_lap(6e15, 1e6, 1).mean - counted_lap(6e14, 1e6, 1).mean;
  EXPECT_NEAR(more, std::log(10), 1e-9);  // in proportion to the operations
}

}  // namespace
}  // namespace lapcast

#include "stats/blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "stats/summary.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

TEST(Blocks, MeansOfWholeBlocks) {
  const std::vector<double> values{1, 3, 5, 7, 9};
  EXPECT_THAT(block_means(values, 2), ElementsAre(2, 6));
  EXPECT_THAT(block_means(values, 1), ElementsAre(1, 3, 5, 7, 9));
  EXPECT_TRUE(block_means(values, 6).empty());
}

TEST(Blocks, ThinnedTakesOneOfEachStretch) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_EQ(thinned(values, 1000), values);
  const std::vector<double> ten = thinned(values, 10);
  ASSERT_EQ(ten.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_GE(ten[i], 100.0 * static_cast<double>(i));
    EXPECT_LT(ten[i], 100.0 * static_cast<double>(i + 1));
  }
}

// Every fourth value is another one: every 100th value alone would be of one kind.
TEST(Blocks, ThinnedDoesNotFallIntoStep) {
  std::vector<double> values(400000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 4 == 0 ? 2 : 1;
  EXPECT_NEAR(mean(thinned(values, 4000)), 1.25, 0.03);
}

}  // namespace
}  // namespace lapcast

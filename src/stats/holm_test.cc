#include "stats/holm.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Holm, MultipliesTheSmallestByAllAndNeverFalls) {
  // In ascending order 0.01, 0.02, 0.03, 0.04: 4 x 0.01 = 0.04, 3 x 0.02 = 0.06, 2 x 0.03 = 0.06,
  // and 1 x 0.04 is below the one before.
  EXPECT_THAT(holm_adjusted(std::vector{0.03, 0.01, 0.04, 0.02}),
              ElementsAre(DoubleNear(0.06, 1e-12), DoubleNear(0.04, 1e-12), DoubleNear(0.06, 1e-12),
                          DoubleNear(0.06, 1e-12)));
}

TEST(Holm, IsNeverAboveOneAndLeavesASingleTestAlone) {
  EXPECT_THAT(holm_adjusted(std::vector{0.6, 0.5}), ElementsAre(1.0, 1.0));
  EXPECT_THAT(holm_adjusted(std::vector{0.2}), ElementsAre(0.2));
  EXPECT_THAT(holm_adjusted({}), IsEmpty());
}

}  // namespace
}  // namespace lapcast

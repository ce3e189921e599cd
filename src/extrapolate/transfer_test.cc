#include "extrapolate/transfer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

TEST(TransferTest, TheIntervalReachesToTheLapAtHome) {
  // A device ten times as fast: one program in four keeps its lap, because its host decides it.
  const Interval<double> t = with_host_part({std::log(0.1), 0.1}, 0);
  EXPECT_NEAR(t.mid, std::log(0.1), 0.1);
  EXPECT_GT(t.high, 0);
  EXPECT_NEAR(with_host_part({std::log(0.1), 0.1}, 0, 0).high, std::log(0.1) + 0.196, 1e-3);
}

}  // namespace
}  // namespace lapcast

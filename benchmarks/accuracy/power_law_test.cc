#include "accuracy/power_law.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast::accuracy {
namespace {

TEST(PowerLaw, FindsWhereAPlantedOneIsAtTheTarget) {
  std::vector<CurvePoint> points;
  for (int t = 1; t <= 20; ++t) points.push_back({double(t), 0.9 - 0.8 * std::pow(t, -0.5)});
  // 0.9 - 0.8 t^-0.5 = 0.8 at t = 64.
  EXPECT_NEAR(power_law_epochs(points, 0.8), 64, 3);
  EXPECT_EQ(power_law_epochs(points, 0.95), std::numeric_limits<double>::infinity());
}

TEST(PowerLaw, TwoPointsAndFlatOnesNeverGetThere) {
  EXPECT_TRUE(std::isinf(power_law_epochs(std::vector<CurvePoint>{{1, 0.1}, {2, 0.2}}, 0.8)));
  EXPECT_TRUE(
      std::isinf(power_law_epochs(std::vector<CurvePoint>{{1, 0.1}, {2, 0.1}, {3, 0.1}}, 0.8)));
}

}  // namespace
}  // namespace lapcast::accuracy

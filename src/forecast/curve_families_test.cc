#include "forecast/curve_families.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

TEST(CurveFamilies, AreTheFormulasOfTheLiterature) {
  EXPECT_DOUBLE_EQ(remaining({CurveFamily::power, 1, 0.5}, 16), 0.25);
  EXPECT_DOUBLE_EQ(remaining({CurveFamily::shifted_power, 2, 1}, 6), 0.25);
  EXPECT_DOUBLE_EQ(remaining({CurveFamily::exponential, 5, 1}, 10), std::exp(-2));
  EXPECT_DOUBLE_EQ(remaining({CurveFamily::janoschek, 5, 2}, 10), std::exp(-4));
  EXPECT_DOUBLE_EQ(remaining({CurveFamily::inverse_logarithm, 1, 1}, std::exp(2) - 1), 0.5);
  EXPECT_DOUBLE_EQ(remaining({CurveFamily::log_power, 3, 2}, 6), 0.2);
}

TEST(CurveFamilies, ThoseThatStartAtInfinityAreScaledToTheFirstEvaluation) {
  EXPECT_DOUBLE_EQ(share_remaining({CurveFamily::power, 1, 1}, 8, 2), 0.25);
  EXPECT_DOUBLE_EQ(share_remaining({CurveFamily::inverse_logarithm, 1, 1}, 3, 3), 1);
  EXPECT_DOUBLE_EQ(share_remaining({CurveFamily::log_power, 3, 2}, 6, 2), 0.2);
}

TEST(CurveFamilies, EveryShapeFallsFromOneOrLessTowardsZero) {
  for (const CurveShape& shape : curve_shapes(10)) {
    double last = share_remaining(shape, 1, 1);
    EXPECT_LE(last, 1) << to_string(shape.family);
    for (double epochs = 2; epochs < 1e6; epochs *= 2) {
      const double now = share_remaining(shape, epochs, 1);
      EXPECT_TRUE(now >= 0 && now <= last) << to_string(shape.family);
      last = now;
    }
  }
}

}  // namespace
}  // namespace lapcast

#include "forecast/fitted_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
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

std::vector<CurvePoint> planted(const CurveShape& shape, int n, double noise) {
  SeededNumbers numbers(11);
  std::vector<CurvePoint> points;
  for (int t = 1; t <= n; ++t)
    points.push_back(
        {double(t), 0.8 - 0.7 * share_remaining(shape, t, 1) + noise * numbers.normal()});
  return points;
}

double mean_at(const std::vector<FittedCurve>& curves, double epochs) {
  double mean = 0;
  for (const FittedCurve& curve : curves) {
    const DrawnCurve middle{curve.shape, curve.first_evaluation, curve.end, curve.rise, 0};
    mean += curve.weight * middle.at(epochs);
  }
  return mean;
}

class EachFamily : public ::testing::TestWithParam<CurveShape> {};

TEST_P(EachFamily, IsFoundInItsOwnPointsAndGoesOnAsItDoes) {
  const CurveShape shape = GetParam();
  const auto points = planted(shape, 40, 0.002);
  const auto curves = fitted_curves(points, 0.85);
  double sum = 0, of_family = 0;
  for (const FittedCurve& curve : curves) {
    sum += curve.weight;
    if (curve.shape.family == shape.family) of_family += curve.weight;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(of_family, 0.02);
  const double real = 0.8 - 0.7 * share_remaining(shape, 80, 1);
  EXPECT_NEAR(mean_at(curves, 80), real, 0.02) << to_string(shape.family);
}

INSTANTIATE_TEST_SUITE_P(CurveFamilies, EachFamily,
                         ::testing::Values(CurveShape{CurveFamily::power, 1, 0.6},
                                           CurveShape{CurveFamily::shifted_power, 7, 1.3},
                                           CurveShape{CurveFamily::exponential, 9, 1},
                                           CurveShape{CurveFamily::janoschek, 12, 1.6},
                                           CurveShape{CurveFamily::inverse_logarithm, 1, 1},
                                           CurveShape{CurveFamily::log_power, 11, 1.8}));

TEST(FittedCurves, ManyEvaluationsLeaveTheNoiseThatTheyHave) {
  const auto curves = fitted_curves(planted({CurveFamily::exponential, 300, 1}, 1000, 0.01), 0.85);
  for (const FittedCurve& curve : curves) EXPECT_NEAR(curve.noise, 0.01, 0.001);
}

TEST(FittedCurves, DrawsScatterAsThePosteriorSays) {
  const auto curves = fitted_curves(planted({CurveFamily::exponential, 9, 1}, 10, 0.01), 0.85);
  const FittedCurve& curve = *std::max_element(
      curves.begin(), curves.end(),
      [](const FittedCurve& a, const FittedCurve& b) { return a.weight < b.weight; });
  SeededNumbers numbers(3);
  double sum = 0, squares = 0;
  constexpr int n = 20'000;
  for (int i = 0; i < n; ++i) {
    const double off = curve.draw(numbers).end - curve.end;
    sum += off;
    squares += off * off;
  }
  // The variance of Student's t is scale^2 * freedom / (freedom - 2).
  const double variance =
      curve.noise * curve.noise * curve.end_variance * curve.freedom / (curve.freedom - 2);
  EXPECT_NEAR(sum / n, 0, 0.05 * std::sqrt(variance));
  EXPECT_NEAR(squares / n, variance, 0.1 * variance);
}

}  // namespace
}  // namespace lapcast

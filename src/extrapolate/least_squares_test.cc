#include "extrapolate/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

TEST(LeastSquaresTest, AMeasurementAsSureAsThePriorMeetsItHalfway) {
  PriorProblem problem{{0}, {1}, {2}, {1}, {}};
  problem.model = [](std::span<const double> p, std::span<double> out) { out[0] = p[0]; };
  const std::vector<double> starts[] = {{0}};
  const Gaussian known = fit_with_priors(problem, starts);
  EXPECT_NEAR(known.mean[0], 1, 1e-4);
  EXPECT_NEAR(known.cov(0, 0), 0.5, 1e-4);
}

TEST(LeastSquaresTest, OnlyTheMeasuredSumOfTwoParametersIsKnown) {
  PriorProblem problem{{0, 0}, {1, 1}, {3}, {0.001}, {}};
  problem.model = [](std::span<const double> p, std::span<double> out) { out[0] = p[0] + p[1]; };
  const std::vector<double> starts[] = {{5, -5}};
  const Gaussian known = fit_with_priors(problem, starts);
  EXPECT_NEAR(known.mean[0], 1.5, 1e-3);
  EXPECT_NEAR(known.cov(0, 0), 0.5, 1e-3);
  EXPECT_NEAR(known.cov(0, 1), -0.5, 1e-3);
}

TEST(LeastSquaresTest, TheStartThatEndsLowestIsTaken) {
  PriorProblem problem{{1}, {100}, {4}, {0.1}, {}};
  problem.model = [](std::span<const double> p, std::span<double> out) { out[0] = p[0] * p[0]; };
  const std::vector<double> starts[] = {{-3}, {3}};  // the prior prefers 2 to -2
  EXPECT_NEAR(fit_with_priors(problem, starts).mean[0], 2, 1e-4);
}

}  // namespace
}  // namespace lapcast

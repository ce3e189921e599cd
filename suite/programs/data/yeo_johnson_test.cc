#include "data/yeo_johnson.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/random.h"

namespace lapcast::workloads {
namespace {

using Numbers = std::vector<double>;

TEST(YeoJohnson, EqualsItsFourFormulas) {
  EXPECT_DOUBLE_EQ(yeo_johnson(3, 0.5), 2);    // (sqrt(4) - 1) / 0.5
  EXPECT_DOUBLE_EQ(yeo_johnson(3, -1), 0.75);  // (1/4 - 1) / -1
  EXPECT_DOUBLE_EQ(yeo_johnson(3, 0), std::log(4));
  EXPECT_DOUBLE_EQ(yeo_johnson(-3, 1.5), -2);   // -(sqrt(4) - 1) / 0.5
  EXPECT_DOUBLE_EQ(yeo_johnson(-3, 3), -0.75);  // -(1/4 - 1) / -1
  EXPECT_DOUBLE_EQ(yeo_johnson(-3, 2), -std::log(4));
  for (double lambda : {-2.0, 0.0, 0.3, 2.0, 4.0}) EXPECT_EQ(yeo_johnson(0, lambda), 0);
  for (double x : {-7.5, -0.1, 0.2, 1e6}) EXPECT_NEAR(yeo_johnson(x, 1), x, 1e-9 * std::abs(x));
}

TEST(YeoJohnson, IsSmoothWhereItsFormulasMeet) {
  EXPECT_NEAR(yeo_johnson(1e9, 1e-12), yeo_johnson(1e9, 0), 1e-8);
  EXPECT_NEAR(yeo_johnson(-5, 2 + 1e-12), yeo_johnson(-5, 2), 1e-8);
}

TEST(YeoJohnson, LikelihoodWorkedByHand) {
  // {0, 3} becomes {0, 2}: variance 1; the logarithms sum to log 4.
  EXPECT_NEAR(yeo_johnson_log_likelihood(Numbers{0, 3}, 0.5), -0.5 * std::log(4), 1e-12);
  // {-3, 0, 3} stays: variance 6; the signed logarithms sum to 0.
  EXPECT_NEAR(yeo_johnson_log_likelihood(Numbers{-3, 0, 3}, 1), -1.5 * std::log(6), 1e-12);
}

/// Holds numbers of SciPy 1.x (stats.yeojohnson_llf) and scikit-learn (PowerTransformer), which fit
/// the same likelihood with Brent's method.
struct Reference {
  Numbers xs;
  double lambda;
  double likelihood_at_half;
  double likelihood_at_best;
};

const Reference kReferences[] = {
    {{0, 1, 2, 3, 5, 8, 13, 21, 34, 55}, -0.0068393158, -24.13451597941792, -22.530241518905502},
    {{-40, -7.5, -3, -1, -0.5, 0, 0.25, 1, 2, 4, 6.5},
     1.4744375695,
     -41.67773790398602,
     -20.48274367960867},
    {{512, 4096, 65536, 1048576, 1048576, 4194304, 8388608, 67108864, 1e9, 7.5e9},
     0.0058409172,
     -181.6389742696678,
     -161.94405337186407},
    {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5, 64},
     -3.2424929741,
     -35.70943560631156,
     12.506846106990707}};

TEST(YeoJohnson, AgreesWithSciPyAndScikitLearn) {
  for (const Reference& r : kReferences) {
    EXPECT_NEAR(yeo_johnson_log_likelihood(r.xs, 0.5), r.likelihood_at_half, 1e-9);
    EXPECT_NEAR(yeo_johnson_log_likelihood(r.xs, r.lambda), r.likelihood_at_best, 1e-9);
    EXPECT_NEAR(fit_yeo_johnson(r.xs), r.lambda, 2e-6);
  }
}

TEST(YeoJohnson, NoOtherLambdaIsLikelier) {
  for (const Reference& r : kReferences) {
    const double best = yeo_johnson_log_likelihood(r.xs, fit_yeo_johnson(r.xs));
    for (double lambda = -8; lambda <= 8; lambda += 0.01) {
      EXPECT_LE(yeo_johnson_log_likelihood(r.xs, lambda), best + 1e-9) << lambda;
    }
  }
}

TEST(YeoJohnson, KeepsItsDigitsWhereAllNumbersAreLarge) {
  // At lambda -8 these differ from 1/8 by less than 1e-70.
  const Numbers xs = {1e9, 2e9, 3e9, 4e9, 9e9};
  EXPECT_TRUE(std::isfinite(yeo_johnson_log_likelihood(xs, -8)));
  EXPECT_LT(yeo_johnson_log_likelihood(xs, -8), yeo_johnson_log_likelihood(xs, 0));
  EXPECT_TRUE(std::isfinite(fit_column(Numbers{0, 1.8e19, 1, 1e19}).lambda));
}

TEST(ColumnTransform, LeavesMeanZeroAndDeviationOne) {
  Random random(3);
  Numbers xs;
  for (int i = 0; i < 5000; ++i) xs.push_back(std::exp(3 * random.bell()));  // log-normal
  const ColumnTransform transform = fit_column(xs);
  double sum = 0, squares = 0;
  for (double x : xs) sum += transform(x), squares += transform(x) * transform(x);
  EXPECT_NEAR(sum / 5000, 0, 1e-9);
  EXPECT_NEAR(squares / 5000, 1, 1e-9);
  EXPECT_LT(transform.lambda, 0.1);  // nearly the logarithm
}

TEST(ColumnTransform, AConstantColumnBecomesZero) {
  const ColumnTransform transform = fit_column(Numbers(20, 7.0));
  EXPECT_EQ(transform.lambda, 1);
  EXPECT_NEAR(transform(7), 0, 1e-12);
  EXPECT_NEAR(transform(9), 2, 1e-12);
}

}  // namespace
}  // namespace lapcast::workloads

#pragma once

#include <span>

namespace lapcast::workloads {

/// Applies the power transform of Yeo and Johnson, "A new family of power transformations to
/// improve normality or symmetry", Biometrika 87, 2000. It extends that of Box and Cox to numbers
/// of either sign.
///
///   x >= 0: ((x + 1)^lambda - 1) / lambda, or log(x + 1) for lambda 0
///   x <  0: -((1 - x)^(2 - lambda) - 1) / (2 - lambda), or -log(1 - x) for lambda 2
double yeo_johnson(double x, double lambda);

/// Returns the logarithm of the likelihood of lambda when the transformed numbers are normal,
/// without the terms that do not depend on lambda: -n/2 log(variance) + (lambda - 1) sum(sign(x)
/// log(|x| + 1)), with the variance over n. Returns infinity when all transformed numbers are
/// equal.
double yeo_johnson_log_likelihood(std::span<const double> xs, double lambda);

/// Returns the lambda with the greatest likelihood in [-8, 8], to 1e-7, by golden section search.
/// Returns 1 (no transform) when all numbers are equal. Needs |x| < 2^64, or powers overflow.
double fit_yeo_johnson(std::span<const double> xs);

/// Applies Yeo-Johnson, then scales, then centres one column of a table, in the order of Künas
/// 2023, section 4.1.1.
struct ColumnTransform {
  double lambda = 1;
  double deviation = 1;  ///< of the transformed numbers, over n; 1 when they are all equal
  double mean = 0;       ///< of the transformed and scaled numbers

  double operator()(double x) const { return yeo_johnson(x, lambda) / deviation - mean; }
};

/// Fits a transform after which the numbers have mean 0 and deviation 1.
ColumnTransform fit_column(std::span<const double> xs);

}  // namespace lapcast::workloads

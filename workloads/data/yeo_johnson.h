#pragma once

#include <span>

namespace lapcast::workloads {

/// The power transform of Yeo and Johnson, "A new family of power transformations to improve
/// normality or symmetry", Biometrika 87, 2000: Box and Cox's, for numbers of either sign.
///
///   x >= 0: ((x + 1)^lambda - 1) / lambda, or log(x + 1) for lambda 0
///   x <  0: -((1 - x)^(2 - lambda) - 1) / (2 - lambda), or -log(1 - x) for lambda 2
double yeo_johnson(double x, double lambda);

/// The logarithm of the likelihood of lambda when the transformed numbers are normal, without the
/// terms that lambda does not change: -n/2 log(variance) + (lambda - 1) sum(sign(x) log(|x| + 1)),
/// the variance over n. Infinite when all transformed numbers are equal.
double yeo_johnson_log_likelihood(std::span<const double> xs, double lambda);

/// The lambda of the greatest likelihood in [-8, 8], to 1e-7, by golden section search. 1 (no
/// transform) when all numbers are equal. Needs |x| < 2^64, or powers overflow.
double fit_yeo_johnson(std::span<const double> xs);

/// Yeo-Johnson, then scale, then centre, for one column of a table: the order of Künas 2023, 4.1.1.
struct ColumnTransform {
  double lambda = 1;
  double deviation = 1;  ///< of the transformed numbers, over n; 1 when they are all equal
  double mean = 0;       ///< of the transformed and scaled numbers

  double operator()(double x) const { return yeo_johnson(x, lambda) / deviation - mean; }
};

/// Fits a transform after which the numbers have mean 0 and deviation 1.
ColumnTransform fit_column(std::span<const double> xs);

}  // namespace lapcast::workloads

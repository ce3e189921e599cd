#pragma once

#include <cstddef>

namespace lapcast {

/// 95 % of the standard normal distribution lie within +-kZ95.
inline constexpr double kZ95 = 1.959963984540054;

/// Return P(Z <= z) of the standard normal distribution, and the z of a probability, 0 < p < 1.
double normal_cdf(double z);
double normal_quantile(double p);

/// Returns the p-quantile of Student's t with df > 0 degrees of freedom (need not be whole), 0 < p
/// < 1.
double student_t_quantile(double p, double df);

/// Returns the probability of a value at least as far from 0 as t, on both sides.
double student_t_two_sided(double t, double df);

/// Returns P(X <= k) of a binomial distribution of n tries with probability 1/2.
double binomial_half_cdf(std::size_t k, std::size_t n);

}  // namespace lapcast

#pragma once

#include <cstddef>

namespace lapcast {

/// Of the standard normal distribution: 95 % lie within +-kZ95.
inline constexpr double kZ95 = 1.959963984540054;

/// Of the standard normal distribution: P(Z <= z), and the z of a probability, 0 < p < 1.
double normal_cdf(double z);
double normal_quantile(double p);

/// p-quantile of Student's t with df > 0 degrees of freedom (need not be whole), 0 < p < 1.
double student_t_quantile(double p, double df);

/// Probability of a value at least as far from 0 as t, to both sides.
double student_t_two_sided(double t, double df);

/// P(X <= k) of a binomial distribution of n tries with probability 1/2.
double binomial_half_cdf(std::size_t k, std::size_t n);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <cstdint>

namespace lapcast {

/// Holds the standard normal deviate for 95 %: that share of the distribution lies within +-kZ95.
inline constexpr double kZ95 = 1.959963984540054;

/// Returns P(Z <= z) of the standard normal distribution.
double normal_cdf(double z);
/// Returns the z of a probability, 0 < p < 1.
double normal_quantile(double p);

/// Returns the p-quantile, 0 < p < 1, of Student's t with df > 0 degrees of freedom, which need not
/// be whole.
double student_t_quantile(double p, double df);

/// Returns the probability of a value at least as far from 0 as t, on both sides.
double student_t_two_sided(double t, double df);

/// Returns P(X <= k) of a binomial distribution of n tries with probability 1/2.
double binomial_half_cdf(std::size_t k, std::size_t n);

/// Generates pseudo-random numbers from a seed, so that forecasts by simulation give the same
/// answer for the same question. The generator is SplitMix64 (Steele, Lea, Flood 2014).
class SeededNumbers {
 public:
  explicit SeededNumbers(std::uint64_t seed) : state_(seed) {}
  double uniform();  // 0 < u < 1
  double normal();   // mean 0, standard deviation 1 (Box and Muller 1958)
  /// Returns an approximately chi-squared number (Wilson and Hilferty 1931), freedom >= 1; above 0.
  double chi_squared(double freedom);
  /// Returns the largest of `count` >= 1 normal numbers.
  double largest_normal(double count);

 private:
  std::uint64_t state_;
};

}  // namespace lapcast

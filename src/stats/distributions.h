#pragma once

#include <cstddef>
#include <cstdint>

namespace lapcast {

/// Is the 0.975 quantile of the standard normal distribution: 95 % of it lies within +-kZ95.
inline constexpr double kZ95 = 1.959963984540054;

/// Returns P(Z <= z) of the standard normal distribution.
double normal_cdf(double z);
/// Returns the z with normal_cdf(z) = p, 0 < p < 1.
double normal_quantile(double p);

/// Returns the p-quantile, 0 < p < 1, of Student's t with df > 0 degrees of freedom, which need not
/// be an integer.
double student_t_quantile(double p, double df);

/// Returns P(|T| >= |t|) for Student's t with df > 0 degrees of freedom.
double student_t_two_sided(double t, double df);

/// Generates pseudo-random numbers; the same seed gives the same sequence, so that a simulated
/// forecast can be repeated. The generator is SplitMix64 (Steele, Lea, Flood 2014).
class SeededNumbers {
 public:
  explicit SeededNumbers(std::uint64_t seed) : state_(seed) {}
  /// Returns a number above 0 and below 1.
  double uniform();
  /// Returns a number with mean 0 and standard deviation 1 (Box and Muller 1958).
  double normal();
  /// Returns an approximately chi-squared number above 0 (Wilson and Hilferty 1931); freedom >= 1.
  double chi_squared(double freedom);
  /// Returns the largest of `count` >= 1 normal numbers. The time does not depend on `count`.
  double largest_normal(double count);

 private:
  std::uint64_t state_;
};

}  // namespace lapcast

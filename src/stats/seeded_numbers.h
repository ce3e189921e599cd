#pragma once

#include <cstdint>

namespace lapcast {

/// Generates pseudo-random numbers from a seed, so that forecasts by simulation give the same
/// answer for the same question. SplitMix64 (Steele, Lea, Flood 2014).
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

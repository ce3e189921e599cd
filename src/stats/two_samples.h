#pragma once

#include <optional>
#include <span>

#include "core/seconds.h"

namespace lapcast {

/// Holds the comparison of two sets of times whose variances may differ.
struct WelchTest {
  double t = 0;                 // positive when a's mean is larger
  double df = 0;                // by Welch and Satterthwaite
  double p_value = 1;           // two-sided
  double effect_size = 0;       // Hedges' g: difference over the pooled sd, corrected for small n
  Interval<double> effect;      // effect_size with its 95 % interval (Hedges and Olkin 1985, 5.E)
  Interval<double> difference;  // mean of a - mean of b, 95 %
};

/// Returns the test of Welch 1947; nothing when either has fewer than 2 values, or neither varies.
std::optional<WelchTest> welch_test(std::span<const double> a, std::span<const double> b);

/// Returns mean(a) / mean(b) with its 95 % interval by Fieller's theorem (Fieller 1954), for two
/// sets of values whose variances may differ. It has the degrees of freedom of Welch's test, so
/// that the interval holds 1 exactly when that test has p >= 0.05. It is never below 0, and is
/// exact when neither set varies. Returns nothing when either has fewer than 2 values, when mean(b)
/// cannot be told from 0, or when a mean is not above 0.
std::optional<Interval<double>> ratio_of_means(std::span<const double> a,
                                               std::span<const double> b);

/// Returns how many times as fast b is as a, given their times: ratio_of_means(), or, where that
/// has no interval, the ratio for all three bounds. Returns nothing when either has no value or
/// mean(b) is not above 0.
std::optional<Interval<double>> speed_up(std::span<const double> a, std::span<const double> b);

}  // namespace lapcast

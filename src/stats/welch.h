#pragma once

#include <optional>
#include <span>

#include "core/interval.h"

namespace lapcast {

/// Holds the comparison of two sets of times whose variances may differ.
struct WelchTest {
  double t = 0;                 // positive when a's mean is larger
  double df = 0;                // by Welch and Satterthwaite
  double p_value = 1;           // two-sided
  double effect_size = 0;       // Hedges' g: difference over the pooled sd, corrected for small n
  Interval<double> effect;      // the same with its 95 % interval (Hedges and Olkin 1985, 5.E)
  Interval<double> difference;  // mean of a - mean of b, 95 %
};

/// Returns the test of Welch 1947; nothing when either has fewer than 2 values, or both do not vary
/// at all.
std::optional<WelchTest> welch_test(std::span<const double> a, std::span<const double> b);

}  // namespace lapcast

#pragma once

#include <optional>
#include <span>

#include "core/interval.h"

namespace lapcast {

/// Returns mean(a) / mean(b) with its 95 % interval by Fieller's theorem (Fieller 1954), for two
/// sets of values that need not vary alike: with the degrees of freedom of Welch's test, so that
/// the interval holds 1 exactly when that test sees no difference, and
/// is not below 0, as no ratio of two means above 0 is. Returns nothing when either has
/// fewer than 2 values, when mean(b) cannot be told from 0, or when a mean is not above 0.
std::optional<Interval<double>> ratio_of_means(std::span<const double> a,
                                               std::span<const double> b);

}  // namespace lapcast

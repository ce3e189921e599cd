#pragma once

#include <span>

#include "stats/steady_state.h"

namespace lapcast {

// For a handful of long laps, such as whole epochs: they are too few to find where they become
// steady, and each may hide caches that fill, a stall or other work. The rule was measured on
// MLPerf logs (docs/forecast.md): leave out the first two fifths, and trust no single lap.

/// Returns the last three fifths of the values (rounded up, never the first of two or more), or
/// fewer where find_steady_state() finds that they settled later.
SteadyState find_coarse_state(std::span<const double> values);

/// Returns the mean of the steady values, without the smallest and the largest where there are
/// three or more. The interval also holds the interval of the whole mean, so that a stall stays in
/// it.
SteadyMean coarse_mean(std::span<const double> values, const SteadyState& state);

}  // namespace lapcast

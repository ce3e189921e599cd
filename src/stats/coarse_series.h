#pragma once

#include <span>

#include "stats/steady_state.h"

namespace lapcast {

/// A handful of long laps, such as whole epochs: too few to find where they become steady, and
/// each may hide caches that fill, a stall, another's work. What holds for long runs (measured on
/// MLPerf logs, docs/forecast.md): forget the first two fifths, and trust no single lap.

/// The last three fifths of the values (rounded up, never the first of two or more), or less where
/// find_steady_state() finds in them that they settled later.
SteadyState find_coarse_state(std::span<const double> values);

/// Mean of the steady values without the smallest and the largest, where there are three or more.
/// The interval holds their whole mean's too: a stall stays in it.
SteadyMean coarse_mean(std::span<const double> values, const SteadyState& state);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <span>

#include "core/interval.h"

namespace lapcast {

/// How often a measurement is repeated: at least so often, and until half the width of the 95 %
/// Student-t interval is below a share of the mean [K]; three times as often at most. Once means
/// once: then there is no interval.
struct RepeatRule {
  std::size_t at_least = 10;
  double precision = 0.05;

  std::size_t at_most() const { return at_least <= 1 ? 1 : 3 * at_least; }
};

enum class Repeats {
  more,        // not enough yet
  enough,      // as precise as wanted
  not_precise  // the upper bound is reached, the interval is still wider than wanted
};
Repeats judge_repeats(std::span<const double> values, const RepeatRule& rule);

/// How many runs will be enough if the values go on as they are: at least one more while it is
/// Repeats::more, never beyond at_most(). For planning; the judge decides.
std::size_t expected_runs(std::span<const double> values, const RepeatRule& rule);

}  // namespace lapcast

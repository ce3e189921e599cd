#pragma once

#include <cstddef>
#include <span>

#include "core/interval.h"

namespace lapcast {

/// Says how often a measurement is repeated: at least `at_least` times, and until half the width of
/// the 95 % Student-t interval is below a share of the mean (Kuenas 2023), but at most three times
/// `at_least`. With 1 it is measured once, and there is no interval.
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

/// Returns how many runs will be enough if the values go on as they are: at least one more while
/// the judgement is Repeats::more, never beyond at_most(). It is for planning; judge_repeats()
/// decides.
std::size_t expected_runs(std::span<const double> values, const RepeatRule& rule);

}  // namespace lapcast

#pragma once

#include <cstddef>
#include <vector>

#include "forecast/series.h"

namespace lapcast {

/// Whole epochs at the begin of a run that were slower than later ones.
struct SlowEpochs {
  std::vector<double> ratios;  // of each: its usual lap over that of later ones
  std::size_t laps = 0;        // of the run, until the last of them was over
};

/// The epochs before the first that is like the later ones: like them when its median lap is within
/// 3 %, and within what one more value of theirs is in 99 % of the cases (Student's t). None when
/// fewer than two later epochs were seen, or half of all would be slow.
SlowEpochs slow_first_epochs(const Series& series);

}  // namespace lapcast

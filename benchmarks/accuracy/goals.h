#pragma once

#include <string>
#include <vector>

#include "accuracy/error_table.h"

namespace lapcast::accuracy {

/// Holds what is wanted of a row that counts, and whether it is met. A row of the table of goals
/// has a limit for its median and its 90th percentile. For a group of a benchmark and a duration
/// with 30 runs or more, neither may be worse than the papers'. For a group of 100 runs or more,
/// the intervals must cover 90 to 98 %. What a forecast without others' runs does is said beside
/// it. After each of the last two kinds a verdict counts how many groups met it.
struct Verdict {
  bool met = false;
  std::string text;  // the group, the observed part and the goal
};
std::vector<Verdict> verdicts(const std::vector<ErrorRow>& rows);

}  // namespace lapcast::accuracy

#pragma once

#include <string>
#include <vector>

#include "accuracy/error_table.h"

namespace lapcast::accuracy {

/// What is wanted of the rows that count, each with whether it is met. For a row of the table of
/// goals its median and its 90th percentile; for a group of a benchmark and a duration with 30 runs
/// or more that neither is worse than the papers'; for a group of 100 runs or more that the
/// intervals cover 90 to 98 %.
struct Verdict {
  bool met = false;
  std::string text;  // the group, what was seen and what is wanted
};
std::vector<Verdict> verdicts(const std::vector<ErrorRow>& rows);

}  // namespace lapcast::accuracy

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "accuracy/error_table.h"
#include "accuracy/goals.h"
#include "accuracy/interval_score.h"

namespace lapcast::accuracy {

/// Names a set of public trainings, and where it lies.
struct SetFolder {
  std::string name;  // algoperf, mlperf-new, megatron or mlperf
  std::filesystem::path runs;
  std::filesystem::path beside;  // where curves/ and dawnbench/ lie; empty = nowhere
};

/// Returns the sets in a folder, or the folder itself where it is one. A folder of none of them is
/// taken as one that has mlperf/.
std::vector<SetFolder> sets_in(const std::filesystem::path& folder);

/// Returns what the observed part is after which the interval score of a set is compared.
std::string_view scored_part(std::string_view set);

/// Returns which goals of a set are met, by its groups of 30 runs and more.
std::vector<Verdict> set_verdicts(std::string_view set, const std::vector<ErrorRow>& rows,
                                  const IntervalScores& scores);

}  // namespace lapcast::accuracy

#include "accuracy/submitter_parts.h"

#include <algorithm>

namespace lapcast::accuracy {

SubmitterParts split(const std::vector<std::string>& submitters) {
  SubmitterParts parts;
  for (const std::string& submitter : submitters) ++parts.runs[submitter];
  std::vector<std::pair<std::string, int>> by_runs(parts.runs.begin(), parts.runs.end());
  std::stable_sort(by_runs.begin(), by_runs.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  int sum[2] = {0, 0};
  for (const auto& [submitter, runs] : by_runs) {
    const int smaller = sum[1] < sum[0] ? 1 : 0;
    parts.part[submitter] = smaller;
    sum[smaller] += runs;
  }
  return parts;
}

}  // namespace lapcast::accuracy

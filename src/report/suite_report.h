#pragma once

#include <string>
#include <vector>

#include "report/table.h"
#include "run/run.h"
#include "stats/repeat_rule.h"
#include "suite/workload.h"

namespace lapcast {

/// Holds a workload and the place of its program.
struct SuiteEntry {
  Workload workload;
  std::string program;  // empty = it was not found
};
/// Returns all that workloads/suite.toml says. `how_to_build` is one line that is shown where a
/// program is missing.
Table suite_table(const std::vector<SuiteEntry>& entries, const std::string& how_to_build);

/// Holds the repeated runs of one workload with one choice of settings.
struct SuiteResult {
  std::string workload;
  std::string settings;   // "batch=128 device=cuda"
  std::string set;        // id of the set in the store
  std::vector<Run> runs;  // that ended well
  RepeatRule rule;
  std::string reason;  // why there are not more of them; empty = there are enough
};
/// Returns the means with 95 % intervals of wall time, throughput, steady lap, accuracy and cost.
Table suite_result_table(const std::vector<SuiteResult>& results);

}  // namespace lapcast
